package fetchtest

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// bundle is a set of files that is published as a whole: as an archive, as the skills of a site with an index, or as a version
// of an npm package.
type bundle struct {
	address string // HOST/PATH
	words   []string
	options map[string]string
	publish func(*builder, *bundle) error // called when all files are there
	files   []bundled
}

// bundled is one file of a bundle.
type bundled struct {
	name string
	mode fs.FileMode // 0644, 0755, or that of a link
	body []byte
}

// kindOf gives what a directive that begins a bundle publishes it as, and how many words stand behind its address; nil for others.
func kindOf(directive string) (publish func(*builder, *bundle) error, words int) {
	switch directive {
	case "@archive":
		return (*builder).publishArchive, 0
	case "@discovery":
		return (*builder).publishIndex, 0
	case "@npm":
		return (*builder).publishPackage, 2
	}
	return nil, 0
}

func isBundle(directive string) bool {
	publish, _ := kindOf(directive)
	return publish != nil
}

// begin begins a bundle. Options are "KEY=VALUE" words.
func (b *builder) begin(directive string, words []string) error {
	if err := b.finish(); err != nil {
		return err
	}
	b.site = ""
	publish, count := kindOf(directive)
	all := &bundle{options: map[string]string{}, publish: publish}
	for _, word := range words {
		key, value, isOption := strings.Cut(word, "=")
		switch {
		case isOption:
			all.options[key] = value
		case all.address == "":
			all.address = word
		default:
			all.words = append(all.words, word)
		}
	}
	if all.address == "" || len(all.words) != count {
		return errors.New("it needs an address, and for a package its name and version")
	}
	b.bundle = all
	return nil
}

// add takes one file.
func (all *bundle) add(name string, options []string, text string) error {
	file := bundled{name: name, mode: 0o644, body: []byte(text)}
	for _, option := range options {
		var err error
		switch option {
		case "exec":
			file.mode = 0o755
		case "symlink":
			file.mode, file.body = fs.ModeSymlink|0o777, []byte(strings.TrimSuffix(text, "\n"))
		case "base64":
			file.body, err = base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		default:
			err = fmt.Errorf("%q is no option of such a file", option)
		}
		if err != nil {
			return err
		}
	}
	all.files = append(all.files, file)
	return nil
}

// put makes a page at an address below that of the bundle.
func (b *builder) put(all *bundle, name string, body []byte, mediaType string) {
	host, base, _ := strings.Cut(all.address, "/")
	host = strings.ToLower(host)
	b.forge.site(host)
	b.forge.addPage(host, path.Join("/", base, name), page{body: body, mediaType: mediaType, token: all.options["token"]})
}

// publishArchive puts an archive at the address, in the format that its name tells.
func (b *builder) publishArchive(all *bundle) error {
	packed, err := pack(all.address, all.files)
	b.put(all, "", packed, all.options["type"])
	return err
}

// indexEntry is one skill of an index; the fields are those of both versions.
type indexEntry struct {
	Name        string   `json:"name"`
	Type        string   `json:"type,omitempty"`
	Description string   `json:"description"`
	URL         string   `json:"url,omitempty"`
	Digest      string   `json:"digest,omitempty"`
	Files       []string `json:"files,omitempty"`
}

// publishIndex publishes each directory as a skill of a site with an index: a lone SKILL.md as it is, others as archives; with
// version=0.1.0 all files as they are.
func (b *builder) publishIndex(all *bundle) error {
	skills := map[string][]bundled{}
	for _, file := range all.files {
		name, rest, _ := strings.Cut(file.name, "/")
		file.name = rest
		skills[name] = append(skills[name], file)
	}
	index := struct {
		Schema string       `json:"$schema,omitempty"`
		Skills []indexEntry `json:"skills"`
	}{Schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json"}
	dir, old := ".well-known/agent-skills/", all.options["version"] == "0.1.0"
	if old {
		dir, index.Schema = ".well-known/skills/", ""
	}
	for _, name := range slices.Sorted(maps.Keys(skills)) {
		entry, err := b.publishSkill(all, dir, name, skills[name])
		if err != nil {
			return err
		}
		index.Skills = append(index.Skills, entry)
	}
	text, err := json.MarshalIndent(index, "", " ")
	b.put(all, dir+"index.json", text, all.options["type"])
	return err
}

// publishSkill publishes one skill and gives its entry.
func (b *builder) publishSkill(all *bundle, dir, name string, files []bundled) (indexEntry, error) {
	entry := indexEntry{Name: name, Description: description(files)}
	var body []byte
	var err error
	switch {
	case all.options["version"] == "0.1.0":
		for _, file := range files {
			b.put(all, dir+name+"/"+file.name, file.body, "")
			entry.Files = append(entry.Files, file.name)
		}
		return entry, nil
	case len(files) == 1 && files[0].name == "SKILL.md":
		entry.Type, entry.URL, body = "skill-md", name+"/SKILL.md", files[0].body
	default:
		entry.Type, entry.URL = "archive", name+"."
		if entry.URL += all.options["archive"]; entry.URL == name+"." {
			entry.URL += "tar.gz"
		}
		body, err = pack(entry.URL, files)
	}
	sum := sha256.Sum256(body)
	entry.Digest = "sha256:" + hex.EncodeToString(sum[:])
	b.put(all, dir+entry.URL, body, "")
	return entry, err
}

// description is what a SKILL.md among files says on its line "description:".
func description(files []bundled) string {
	for _, file := range files {
		for line := range strings.Lines(string(file.body)) {
			if text, ok := strings.CutPrefix(line, "description:"); ok && file.name == "SKILL.md" {
				return strings.TrimSpace(text)
			}
		}
	}
	return ""
}

// publishPackage adds a version to a package of a registry.
func (b *builder) publishPackage(all *bundle) error {
	name, version := all.words[0], all.words[1]
	var files []bundled
	for _, file := range all.files {
		file.name = "package/" + file.name
		files = append(files, file)
	}
	body, err := pack("x.tgz", files)
	if err != nil {
		return err
	}
	tarball := name + "/-/" + path.Base(name) + "-" + version + ".tgz"
	b.put(all, tarball, body, "")
	sum, weak := sha512.Sum512(body), sha1.Sum(body)
	dist := map[string]any{"tarball": "https://" + path.Join(all.address, tarball), "shasum": hex.EncodeToString(weak[:])}
	switch integrity := all.options["integrity"]; integrity {
	case "":
		dist["integrity"] = "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
	case "none":
	default:
		dist["integrity"] = integrity
	}
	return b.addVersion(all, name, version, dist)
}

// addVersion adds a version to the document of a package. The newest published one is "latest", but for those with a tag of their own.
func (b *builder) addVersion(all *bundle, name, version string, dist map[string]any) error {
	document := struct {
		Name     string                    `json:"name"`
		Tags     map[string]string         `json:"dist-tags"`
		Versions map[string]map[string]any `json:"versions"`
	}{name, map[string]string{}, map[string]map[string]any{}}
	host, base, _ := strings.Cut(all.address, "/")
	if p, found, _ := b.forge.findPage(host, path.Join("/", base, name)); found {
		if err := json.Unmarshal(p.body, &document); err != nil {
			return err
		}
	}
	tag := all.options["tag"]
	if tag == "" {
		tag = "latest"
	}
	document.Tags[tag] = version
	document.Versions[version] = map[string]any{"name": name, "version": version, "dist": dist}
	if reason := all.options["deprecated"]; reason != "" {
		document.Versions[version]["deprecated"] = reason
	}
	text, err := json.Marshal(document)
	b.put(all, name, text, "application/json")
	return err
}
