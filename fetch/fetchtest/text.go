package fetchtest

import (
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"strconv"
	"strings"
)

// section is one file or directive of a forge text.
type section struct {
	line      int      // of its marker, from 1
	words     []string // what stands between the dashes: a name or a directive, then options
	directive bool     // the first word begins with @ and is not quoted
	text      string
}

// parse cuts a text at its markers, "-- NAME --" on a line of its own. What comes before the first is a comment.
func parse(text string) ([]section, error) {
	var all []section
	number, begin, end := 0, 0, 0 // the number of a line; where the text of the last section begins, and ends so far
	for line := range strings.Lines(text) {
		number++
		if marker, ok := markerOf(line); ok {
			words, err := split(marker)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			all = append(all, section{line: number, words: words, directive: marker[0] == '@'})
			begin = end + len(line)
		}
		end += len(line)
		if len(all) > 0 {
			all[len(all)-1].text = text[begin:end]
		}
	}
	if begin < end && len(all) > 0 && !strings.HasSuffix(text, "\n") {
		all[len(all)-1].text += "\n"
	}
	return all, nil
}

func markerOf(line string) (string, bool) {
	line = strings.TrimRight(line, "\r\n")
	rest, ok := strings.CutPrefix(line, "-- ")
	if !ok {
		return "", false
	}
	name, ok := strings.CutSuffix(rest, " --")
	name = strings.TrimSpace(name)
	return name, ok && name != ""
}

// split cuts a marker into words; the first may be a quoted Go string.
func split(marker string) ([]string, error) {
	if marker[0] != '"' {
		return strings.Fields(marker), nil
	}
	quoted, err := strconv.QuotedPrefix(marker)
	if err != nil {
		return nil, fmt.Errorf("%s: the quotes do not close", marker)
	}
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return nil, err
	}
	return append([]string{name}, strings.Fields(marker[len(quoted):])...), nil
}

// Add makes the repositories and sites of a text, in the notation of the package comment. What exists already is gone on with.
func (f *Forge) Add(text string) {
	if err := f.add(text); err != nil {
		f.fail(fmt.Errorf("forge text: %w", err))
	}
}

func (f *Forge) add(text string) error {
	sections, err := parse(text)
	if err != nil {
		return err
	}
	f.building.Lock()
	defer f.building.Unlock()
	b := &builder{forge: f}
	for _, s := range sections {
		if err := b.section(s); err != nil {
			b.abort()
			return fmt.Errorf("line %d: %s: %w", s.line, strings.Join(s.words, " "), err)
		}
	}
	return b.finish()
}

// builder carries out sections one by one.
type builder struct {
	forge    *Forge
	site     string
	importer *importer // of the present repository; nil elsewhere
	bundle   *bundle   // the present one; nil elsewhere
}

func (b *builder) section(s section) error {
	name, options := s.words[0], s.words[1:]
	switch {
	case !s.directive && b.site != "":
		return b.page(name, options, s.text)
	case !s.directive && b.importer != nil:
		return b.file(name, options, s.text)
	case !s.directive && b.bundle != nil:
		return b.bundle.add(name, options, s.text)
	case !s.directive:
		return errors.New("a file needs a @repo or @site before it")
	case isBundle(name):
		return b.begin(name, options)
	case name == "@repo":
		return b.repo(options)
	case name == "@site":
		return b.newSite(options)
	case name == "@fault":
		return b.fault(options, s.text)
	case b.importer == nil:
		return errors.New("it needs a @repo before it")
	}
	return b.directive(name, options, s.text)
}

func (b *builder) finish() error {
	if all := b.bundle; all != nil {
		b.bundle = nil
		return all.publish(b, all)
	}
	if b.importer == nil {
		return nil
	}
	err := b.importer.finish()
	b.importer = nil
	return err
}

// abort ends git in the middle of a repository.
func (b *builder) abort() {
	if b.importer != nil && b.importer.cmd != nil {
		_ = b.importer.stream.Close()
		_ = b.importer.cmd.Wait() // it fails, for it never saw the end
	}
}

func (b *builder) repo(words []string) error {
	if err := b.finish(); err != nil {
		return err
	}
	if len(words) == 0 || !strings.Contains(words[0], "/") {
		return errors.New("it needs a name, HOST/PATH")
	}
	repo, err := b.forge.lookup(words[0]), error(nil)
	if repo == nil {
		repo, err = b.forge.create(words[0])
	}
	if err != nil {
		return err
	}
	if repo.mounted {
		return errors.New("a mounted repository is not written to")
	}
	b.site = ""
	if b.importer, err = newImporter(repo); err != nil {
		return err
	}
	return b.options(repo, words[1:])
}

// options sets what stands behind the name of a repository. The keys are the fields of Settings, and head.
func (b *builder) options(repo *Repo, words []string) error {
	settings := repo.Settings()
	fields := reflect.ValueOf(&settings).Elem()
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		if key == "head" {
			if err := repo.setHead(value); err != nil {
				return err
			}
			if err := b.importer.setBranch(value, ""); err != nil {
				return err
			}
			continue
		}
		field := fields.FieldByNameFunc(func(name string) bool { return strings.ToLower(name) == key })
		switch field.Kind() {
		case reflect.String:
			field.SetString(value)
		case reflect.Bool:
			field.SetBool(value != "no")
		default:
			return fmt.Errorf("%q is no setting of a repository", key)
		}
	}
	repo.Set(settings)
	return nil
}

func (b *builder) directive(name string, words []string, text string) error {
	if name == "@commit" {
		return b.importer.begin(strings.Join(words, " "))
	}
	if len(words) == 0 {
		return errors.New("it needs a name")
	}
	switch name {
	case "@branch":
		return b.importer.setBranch(words[0], strings.Join(words[1:], " "))
	case "@tag":
		return b.importer.tag(words[0], strings.TrimSpace(text))
	case "@ref":
		return b.importer.setRef(words[0])
	case "@delete":
		return b.importer.deleteRef(words[0])
	}
	return errors.New("there is no such directive")
}

// file writes one file of the open commit.
func (b *builder) file(name string, options []string, text string) error {
	mode, content := "100644", []byte(text)
	for _, option := range options {
		var err error
		switch option {
		case "exec":
			mode = "100755"
		case "symlink":
			mode, content = "120000", []byte(strings.TrimSuffix(text, "\n"))
		case "gitlink":
			mode, content = "160000", []byte(strings.TrimSpace(text))
		case "base64":
			content, err = base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		case "delete":
			mode = ""
		default:
			err = fmt.Errorf("%q is no option of a file", option)
		}
		if err != nil {
			return err
		}
	}
	return b.importer.file(mode, name, content)
}

func (b *builder) newSite(words []string) error {
	if len(words) != 1 {
		return errors.New("it needs a host")
	}
	b.site = strings.ToLower(words[0])
	b.forge.site(b.site)
	return b.finish()
}

func (b *builder) page(name string, options []string, text string) error {
	p := page{body: []byte(text)}
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		var err error
		switch key {
		case "type":
			p.mediaType = value
		case "token":
			p.token = value
		case "base64":
			p.body, err = base64.StdEncoding.DecodeString(strings.TrimSpace(text))
		case "redirect":
			p.location, p.status = strings.TrimSpace(text), http.StatusFound
			if value != "" {
				p.status, err = strconv.Atoi(value)
			}
		default:
			err = fmt.Errorf("%q is no option of a page", option)
		}
		if err != nil {
			return err
		}
	}
	b.forge.addPage(b.site, name, p)
	return nil
}

// list goes through the entries of a list that is parted by commas.
func list(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.SplitSeq(s, ",") {
			if word = strings.TrimSpace(word); word != "" && !yield(word) {
				return
			}
		}
	}
}
