package registry

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxText        = 8_000 // characters of a catalog text
	maxName        = 200   // characters of a name in it, so that one name does not push all others out
	defaultHeading = "# Available skills"
)

// markdownSigns could end the bold letters of a name, or be taken for more than a name.
var markdownSigns = regexp.MustCompile("[\\\\`*\\[\\]<]")

// Markdown writes what a model is told of the skills: a heading ("# Available
// skills" when it is empty), a blank line, and a line a skill, sorted as List
// sorts:
//
//   - **pdf** — Reads PDF files.
//
// Disabled skills are left out, as are those without a name; without any other the
// text is empty. Names and descriptions come from strangers: blanks, controls and
// characters that are not seen become one blank, so that each stays on its line; in
// names, which are asked for by what stands there, Markdown's signs \ ` * [ ] < are
// written with a backslash. Other names, and descriptions with their Markdown, stand
// as they are. So does the heading, which is the host's own.
//
// The text has at most 8,000 characters (not bytes): first descriptions are cut, then
// skills at the end are left out; a last line says so. A heading that leaves no room
// is cut as well.
func Markdown(skills []Info, heading string) string {
	if heading == "" {
		heading = defaultHeading
	}
	return layout{
		head: heading + "\n\n",
		item: func(name, description, _ string) string {
			if description != "" {
				description = " — " + description
			}
			return "- **" + markdownSigns.ReplaceAllString(name, `\$0`) + "**" + description + "\n"
		},
		note: func(text string) string { return "\n" + text + "\n" },
	}.write(skills)
}

// XML writes the same as an <available_skills> element: name, description and,
// where the skill is in a file, location; escaped, and bounded as Markdown is.
func XML(skills []Info) string {
	return layout{
		head: "<available_skills>\n",
		item: func(name, description, location string) string {
			return "  <skill>\n" + element("name", name) + element("description", description) + element("location", location) + "  </skill>\n"
		},
		note: func(text string) string { return "  <note>" + text + "</note>\n" },
		foot: "</available_skills>\n",
	}.write(skills)
}

func element(name, text string) string {
	if text == "" {
		return ""
	}
	var escaped strings.Builder
	_ = xml.EscapeText(&escaped, []byte(text)) // a Builder takes everything
	return "    <" + name + ">" + escaped.String() + "</" + name + ">\n"
}

// oneLine gives so many characters of a text on one line: what would break it,
// and what nobody sees, is folded to one blank.
func oneLine(text string, most int) string {
	var line strings.Builder
	count, blank := 0, 0
	for _, r := range text {
		if isUnseen(r) {
			blank = min(count, 1)
			continue
		}
		line.WriteString(" "[:blank])
		line.WriteRune(r)
		count, blank = count+blank+1, 0
		if count > most {
			break
		}
	}
	return cut(line.String(), most)
}

// isUnseen tells blanks, controls, and characters of format: bidirectional controls, zero-width ones, tags. Joiners shape what stands
// beside them, and the signs that stand before numbers in Arabic are seen.
func isUnseen(r rune) bool {
	const nonJoiner, joiner = 0x200C, 0x200D
	if r == nonJoiner || r == joiner || unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return false
	}
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r >= 0xE0000 && r <= 0xE007F
}

// cut shortens a text to so many characters.
func cut(text string, most int) string {
	if most == 0 {
		return ""
	}
	count, end := 0, 0
	for at := range text {
		if count == most-1 {
			end = at
		}
		if count++; count > most {
			return text[:end] + "…"
		}
	}
	return text
}

// layout is one form of the text.
type layout struct {
	head, foot string
	item       func(name, description, location string) string
	note       func(text string) string
}

// write makes the text fit: with all descriptions, else with the longest that
// all of them can have, else with as many names as fit.
func (l layout) write(skills []Info) string {
	shown := presentable(skills)
	if len(shown) == 0 {
		return ""
	}
	text := func(count, length int, note string) string { return l.text(shown[:count], length, note) }
	if full := text(len(shown), maxText, ""); fits(full) {
		return full
	}
	shortened := "Descriptions are cut: this list has at most 8,000 characters."
	length := sort.Search(maxText, func(n int) bool { return !fits(text(len(shown), n, shortened)) }) - 1
	if length >= 0 {
		return text(len(shown), length, shortened)
	}
	left := func(count int) string {
		return fmt.Sprintf("%d more skills are not listed: this list has at most 8,000 characters.", len(shown)-count)
	}
	count := sort.Search(len(shown), func(n int) bool { return !fits(text(n, 0, left(n))) }) - 1
	return cut(text(max(count, 0), 0, left(max(count, 0))), maxText)
}

// presentable gives the skills that a model may see, what is said of them on one
// line each.
func presentable(skills []Info) []Info {
	var shown []Info
	for _, info := range sorted(skills) {
		if name := oneLine(info.Name, maxName); !info.Disabled && name != "" {
			shown = append(shown, Info{
				Name: name, Description: oneLine(info.Description, maxText), Path: oneLine(info.Path, maxText),
			})
		}
	}
	return shown
}

func fits(text string) bool { return utf8.RuneCountInString(text) <= maxText }

func (l layout) text(skills []Info, length int, note string) string {
	var b strings.Builder
	b.WriteString(l.head)
	for _, info := range skills {
		if b.Len() > utf8.UTFMax*maxText { // it cannot fit
			break
		}
		b.WriteString(l.item(info.Name, cut(info.Description, length), info.Path))
	}
	if note != "" {
		b.WriteString(l.note(note))
	}
	b.WriteString(l.foot)
	return b.String()
}
