package foreign

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"skills/source"
)

// apmLock reads the lock of a project.
func (r *reader) apmLock(data []byte) error {
	r.record.Kind = APM
	root, err := r.parseYAML(data)
	if err != nil {
		return err
	}
	if err := r.version(root, "lockfile_version", text, 1, 2); err != nil {
		return err
	}
	if packages := root.get("dependencies"); packages != nil {
		if packages.kind != array {
			return r.damaged(packages.line, `"dependencies" is %s, not a list`, packages.kind)
		}
		for _, v := range packages.items {
			if err := r.dependency(v); err != nil {
				return err
			}
		}
	}
	for _, key := range []string{"mcp_servers", "lsp_servers"} {
		if v := root.get(key); v != nil && len(v.items) > 0 {
			r.find("not_imported", v.line, "%q are not imported", key)
		}
	}
	return nil
}

// dependency takes up the skills of one package: one that is a skill itself, and of others each that was selected or deployed.
func (r *reader) dependency(v *value) error {
	f := open(v)
	path, err := directory("virtual_path", f.text("virtual_path"))
	d := dependency{reader: r, fields: f, repo: f.text("repo_url"), path: path, license: f.claim("declared_license")}
	kind, deployed, chosen := f.text("package_type"), deployedSkills(f.texts("deployed_files")), f.texts("skill_subset")
	switch {
	case f.err != nil:
		return r.add(Entry{Name: d.directory(), Line: v.line}, f.err)
	case err != nil:
		return r.add(Entry{Name: d.directory(), Line: v.line}, err)
	case kind == "claude_skill":
		return r.add(d.entry(d.name(deployed), ""))
	case len(chosen) > 0:
		return d.each(chosen)
	case len(deployed) > 0:
		return d.each(deployed)
	}
	r.find("no_skill", v.line, "package %q has no skill that was installed", clip(d.directory()))
	return nil
}

var skillDirectory = regexp.MustCompile(`(?:^|/)skills/([^/]+)`)

// deployedSkills gives the names of the skills that files were written for, sorted.
func deployedSkills(files []string) []string {
	var all []string
	for _, file := range files {
		if m := skillDirectory.FindStringSubmatch(strings.ReplaceAll(file, `\`, "/")); m != nil {
			all = append(all, m[1])
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// dependency is one package.
type dependency struct {
	*reader
	*fields
	repo, path, license string
}

// directory gives the name of the directory of the package; "" where what is recorded may be an authority with credentials.
func (d dependency) directory() string {
	text := cmp.Or(d.path, d.repo, d.claim("local_path"))
	if cut := strings.IndexAny(text, "?#"); cut >= 0 {
		text = text[:cut]
	}
	name := strings.TrimSuffix(path.Base(text), ".git")
	if name == "." || strings.ContainsAny(name, "@:") {
		return ""
	}
	return name
}

// name gives the name of a package that is one skill: the directory that it was written to, else what it says itself.
func (d dependency) name(deployed []string) string {
	if len(deployed) == 1 {
		return deployed[0]
	}
	if name := d.claim("name"); name != "" {
		return name
	}
	return d.directory()
}

// each takes up skills that the package holds somewhere.
func (d dependency) each(skills []string) error {
	for _, name := range skills {
		if err := d.add(d.entry(name, name)); err != nil {
			return err
		}
	}
	return nil
}

// entry makes the entry of one skill.
func (d dependency) entry(name, skill string) (Entry, error) {
	e := Entry{Name: name, Skill: skill, License: d.license, Line: d.table.line}
	var err error
	switch kind := d.text("source"); kind {
	case "", "git":
		err = d.git(&e)
	case "local":
		err = d.local(&e, d.text("local_path"), d.path)
	case "registry":
		err = d.registry(&e)
	default:
		err = errors.New(`"source" is of a kind that is not known here`)
	}
	if d.err != nil {
		err = d.err
	}
	return e, err
}

// git locates the skill in a repository. A range that was asked for says more than the tag that answered.
func (d dependency) git(e *Entry) error {
	address, err := d.address()
	if err != nil {
		return err
	}
	ref := d.text("resolved_ref")
	if wanted, tag := d.text("constraint"), d.text("resolved_tag"); source.IsRange(wanted) {
		ref = wanted
	} else if tag != "" && !commitID.MatchString(ref) {
		ref = tag
	}
	if err := d.repository(e, address, ref, d.path); err != nil {
		return err
	}
	if commit := strings.ToLower(d.text("resolved_commit")); commitID.MatchString(commit) {
		e.Commit = commit
	} else if commit != "" {
		e.Problem = `"resolved_commit" is no commit id`
	}
	e.unpinned(d.fields, "content_hash")
	return nil
}

// address gives the address of the repository.
func (d dependency) address() (string, error) {
	host, port := strings.ToLower(d.text("host")), d.text("port")
	number, err := strconv.Atoi(port)
	switch {
	case d.repo == "":
		return "", errors.New(`"repo_url" is missing`)
	case d.is("is_insecure"):
		return "", errors.New("the package was fetched over http, which is not encrypted")
	case d.text("registry_prefix") != "":
		return "", errors.New("the package came through a proxy that serves no repositories")
	case host == "" || fullAddress.MatchString(d.repo):
		return d.repo, nil
	case strings.ContainsAny(host, "/@:#?"):
		return "", errors.New(`"host" is no host name`)
	case port != "" && (err != nil || number < 1 || number > 65535):
		return "", errors.New(`"port" is no port`)
	case port != "":
		host += ":" + port
	}
	row, _ := d.hosts.Lookup(host)
	parts := strings.Split(d.repo, "/")
	if row.Kind == source.Azure && len(parts) == 3 {
		parts = slices.Insert(parts, 2, "_git")
	}
	return "git+https://" + host + "/" + strings.Join(parts, "/"), nil
}

// registry locates the archive that a registry of packages served, when its address shows that it is one.
func (d dependency) registry(e *Entry) error {
	address, recorded := d.text("resolved_url"), d.text("resolved_hash")
	if address == "" {
		return errors.New(`"resolved_url" is missing`)
	}
	l, err := d.parse(address)
	switch {
	case err != nil:
		return err
	case l.Kind != source.Archive || l.URL == "":
		return fmt.Errorf("source %q is served by a registry of packages, which is not read here", l.Input)
	case bareDigest.MatchString(recorded):
		recorded = "sha256:" + recorded
	}
	e.Text, e.Path = l.Canonical(), d.path
	if digest.MatchString(recorded) {
		e.Digest = recorded
	} else {
		e.Problem = "no digest is recorded that is known here"
	}
	return nil
}
