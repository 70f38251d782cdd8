package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

const maxMarketplace = 8 << 20 // bytes

// plugin is one entry of a marketplace file: a name for the skills below some
// directories, or for something that lies elsewhere.
type plugin struct {
	name      string
	dirs      []string // in this repository; "." for the root
	elsewhere string   // "" for a local one
}

// readMarketplaces reads the files once. They only name groups: skills are found
// by walking, so a file that cannot be read is worth one line.
func (l *Listing) readMarketplaces(fsys fs.FS) {
	if l.plugins != nil {
		return
	}
	l.plugins = []plugin{}
	for _, name := range l.market {
		list, err := readMarketplace(fsys, name)
		if err != nil {
			l.Findings = append(l.Findings, Finding{"marketplace", SeverityWarning, name, 0, fmt.Sprintf("%q is ignored: %v", name, err)})
		}
		l.plugins = append(l.plugins, list...)
	}
	if elsewhere := l.elsewhere(); elsewhere != "" && len(l.found) > 0 {
		l.Findings = append(l.Findings, Finding{"plugins_elsewhere", SeverityInfo, l.market[0], 0, elsewhere})
	}
}

func readMarketplace(fsys fs.FS, name string) ([]plugin, error) {
	in, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	raw, err := io.ReadAll(io.LimitReader(in, maxMarketplace))
	if err != nil {
		return nil, err
	}
	return parseMarketplace(raw)
}

func parseMarketplace(raw []byte) ([]plugin, error) {
	var file struct {
		Plugins  []json.RawMessage
		Metadata struct{ PluginRoot string }
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("it is not the JSON of a marketplace")
	}
	var list []plugin
	for _, entry := range file.Plugins {
		if p, ok := parsePlugin(entry, file.Metadata.PluginRoot); ok {
			list = append(list, p)
		}
	}
	return list, nil
}

// parsePlugin reads one entry; a bad one is left out and spoils no other.
// Sources are relative to the root of the repository; pluginRoot stands before
// bare names only.
func parsePlugin(entry json.RawMessage, pluginRoot string) (plugin, bool) {
	var e struct {
		Name   string
		Source json.RawMessage
		Skills json.RawMessage
	}
	if json.Unmarshal(entry, &e) != nil || e.Name == "" {
		return plugin{}, false
	}
	source, elsewhere, ok := pluginSource(e.Source)
	if !ok || elsewhere != "" {
		return plugin{name: e.Name, elsewhere: elsewhere}, ok
	}
	if pluginRoot != "" && source != "" && !strings.Contains(source, "/") && source[0] != '.' {
		source = path.Join(pluginRoot, source)
	}
	return plugin{name: e.Name, dirs: skillDirectories(source, e.Skills)}, true
}

// skillDirectories gives the directories of a plugin's skills, the plugin's own
// when it names none.
func skillDirectories(source string, skills json.RawMessage) (dirs []string) {
	for _, s := range append(oneOrMany(skills), ".") {
		dir := path.Join(".", source, s)
		if strings.EqualFold(path.Base(dir), manifestName) {
			dir = path.Dir(dir)
		}
		dirs = append(dirs, dir)
	}
	return dirs[:max(1, len(dirs)-1)]
}

// pluginSource reads the two shapes of a source: a text, or an object with a
// url, a repo or a package. Either may name this repository by a relative path.
func pluginSource(raw json.RawMessage) (local, elsewhere string, ok bool) {
	var r struct{ URL, Repo, Package, Path string }
	if json.Unmarshal(raw, &local) != nil {
		if json.Unmarshal(raw, &r) != nil {
			return "", "", false
		}
		local = cmp.Or(r.URL, r.Repo, r.Package)
	} else if !strings.Contains(local, "://") {
		return local, "", true
	}
	if strings.HasPrefix(local, "./") || local == "." {
		return path.Join(local, r.Path), "", true
	}
	return "", strings.TrimSpace(local + " " + r.Path), local != ""
}

// oneOrMany reads a text or a list of texts.
func oneOrMany(raw json.RawMessage) (many []string) {
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return []string{one}
	}
	if json.Unmarshal(raw, &many) != nil {
		return nil
	}
	return many
}

// pluginsByDirectory gives the name of the plugin at each directory; the first
// plugin that names a directory keeps it.
func (l *Listing) pluginsByDirectory() map[string]string {
	byDir := map[string]string{}
	for _, p := range l.plugins {
		for _, dir := range p.dirs {
			byDir[dir] = cmp.Or(byDir[dir], p.name)
		}
	}
	return byDir
}

// nearest gives the value of the closest directory around a skill.
func nearest(byDir map[string]string, skill string) string {
	for dir := path.Join(".", skill); ; dir = path.Dir(dir) {
		if name := byDir[dir]; name != "" || dir == "." {
			return name
		}
	}
}

// elsewhere says in one sentence which plugins lie in other repositories.
func (l *Listing) elsewhere() string {
	var names []string
	for _, p := range l.plugins {
		if p.elsewhere != "" {
			names = append(names, fmt.Sprintf("%s (%s)", p.name, p.elsewhere))
		}
	}
	if len(names) == 0 {
		return ""
	}
	count := fmt.Sprintf("%d plugins of its marketplace point elsewhere", len(names))
	if len(names) == 1 {
		count = "1 plugin of its marketplace points elsewhere"
	}
	return count + ": " + enumerate(names, 5)
}
