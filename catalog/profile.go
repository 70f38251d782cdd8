package catalog

import "strings"

// Profile names a set of rules: which findings are errors, which warnings, which are not worth a word.
type Profile string

// The profiles. ProfileInstall is lenient and safe: what add, list and show read with. ProfileSpec is the
// specification of agentskills.io by the letter; the others read as four systems do that skills are written for.
const (
	ProfileInstall  Profile = "install"
	ProfileSpec     Profile = "spec"
	ProfileSkillKit Profile = "skillkit"
	ProfileClarvis  Profile = "clarvis"
	ProfileSmarter  Profile = "smarter"
	ProfileZidane   Profile = "zidane"
)

// Rules says how a document is judged. The zero value is ProfileInstall. What takes rules and can fail refuses a profile that is
// not known with an *Error "invalid_input"; Severity then answers as under ProfileInstall.
type Rules struct {
	Profile     Profile
	BareNames   bool // skillkit: a name without a namespace is its own namespace
	UnknownKeys bool // keys that no profile knows are warned about
}

// Severity gives what a finding of that code means under the profile, "" for not worth a word. The code may be narrowed by
// the field it is about, and by a case, as in "too_long:description"; a code that no row names is a warning. The codes are listed in
// the package comment.
func (p Profile) Severity(code string) Severity {
	letters := row(code)
	for cut := code; letters == ""; letters = row(cut) {
		at := strings.LastIndexByte(cut, ':')
		if at < 0 {
			return SeverityWarning
		}
		cut = cut[:at]
	}
	switch letters[max(p.column(), 0)] {
	case 'E':
		return SeverityError
	case 'w':
		return SeverityWarning
	case 'i':
		return SeverityInfo
	}
	return ""
}

// column is the place of a profile in the rows of the table, -1 for one that is not known.
func (p Profile) column() int {
	switch p {
	case "", ProfileInstall:
		return 0
	case ProfileSpec:
		return 1
	case ProfileSkillKit:
		return 2
	case ProfileClarvis:
		return 3
	case ProfileSmarter:
		return 4
	case ProfileZidane:
		return 5
	}
	return -1
}

// row is the table of the profiles: one letter each for install, spec, skillkit, clarvis, smarter and zidane. E is an error, w a
// warning, i an info, a dot silence. What has no row is always an error (there is no reading of it) or always a warning.
func row(code string) string {
	switch code {
	// The file and its fences.
	case "leading_whitespace":
		return "wEE.E."
	case "fence_blanks", "lone_cr":
		return "..EE.."
	case "nul_bytes", "not_utf8":
		return "wEEEEw"
	case "line_separator", "control_character", "empty_body", "plugin_root":
		return "ww...."
	case "missing_reference:span": // it may be what the work is to make
		return "iiiiii"
	case "long_skill":
		return ".w..w."
	// The keys.
	case "yaml_repaired", "unreadable":
		return "wEEEE."
	case "duplicate_key":
		return "wEwEww"
	case "duplicate_key:differs": // of a name or a description: which one is meant would be a guess
		return "E....."
	case "unknown_key":
		return "wEwwww"
	case "deprecated_field", "name_defaulted":
		return ".....w"
	}
	return fieldRow(code)
}

// fieldRow holds the rows about single fields.
func fieldRow(code string) string {
	switch code {
	case "name_format":
		return "wEEEEw"
	case "too_long:name", "too_long:description", "too_long:compatibility":
		return "wE..Ew"
	case "name_whitespace":
		return "www.ww"
	case "name_mismatch":
		return "wE.www"
	case "mixed_scripts":
		return "w....."
	case "unsafe_name":
		return "Ewwwww"
	case "blank_description":
		return "EEwEEE"
	case "invalid_field:compatibility:blank":
		return ".E..E."
	case "invalid_field:license":
		return "wE.EEw"
	case "invalid_field:compatibility":
		return "wE..Ew"
	case "invalid_field:metadata":
		return "iE..Ew"
	case "invalid_field:metadata:value":
		return ".w...."
	case "invalid_field:required_scope":
		return "..E..."
	case "invalid_field:version":
		return "w..E.."
	case "invalid_field:user-invocable":
		return "w..E.w"
	case "invalid_field:disable-model-invocation", "type_coerced:disable-model-invocation":
		return "i....."
	}
	return typeRow(code)
}

// typeRow holds the rows about values that are not the text, or not the list, that a field wants.
func typeRow(code string) string {
	switch code {
	case "type_coerced:name", "type_coerced:description":
		return "wEEEE."
	case "type_coerced:license":
		return "wE.EE."
	case "type_coerced:compatibility":
		return "wE..E."
	case "type_coerced:version":
		return "i..E.."
	case "type_coerced:argument-hint", "type_coerced:user-invocable":
		return "w..E.."
	case "invalid_field:allowed-tools":
		return "wE.EEw"
	case "invalid_field:allowed-tools:blank":
		return "wE..Ew"
	case "invalid_field:tools":
		return "i..E.."
	case "invalid_field:tools:blank", "invalid_field:allowed-tools:beside":
		return "w....."
	case "unbalanced", "tool_item_has_separator", "tool_format", "limit":
		return "ww.www"
	case "stray_parens":
		return "wE.www"
	case "tools_ambiguous": // blanks are the form of the specification, so there it is only a note
		return ".i.ww."
	case "invalid_field:hooks", "unknown_hook_event", "unknown_hook_type":
		return "w.w..w"
	case "second_hook_handler":
		return "..w..."
	}
	switch code[strings.LastIndexByte(code, ':')+1:] {
	case "null", "mapping", "scalar": // of the optional fields that one system has a type for
		return "...E.."
	}
	return ""
}

// traits is the rest of the table: what a profile does and not what it says. The zero value is the common case.
type traits struct {
	repairs       bool   // what YAML refuses is repaired where one reading is possible, templates are told from skills
	flat          bool   // the front matter is read line by line and not as YAML
	keepsBlanks   bool   // the body loses newlines at its ends, not blanks
	oneError      bool   // the first error ends the reading
	closed        bool   // only the keys of the specification are known
	aliased       bool   // tools stands in for an absent allowed-tools
	joins         bool   // list items that YAML cut at a comma in parentheses are put together
	commas        bool   // texts of tools are cut at commas alone by Rules.Tools
	emptyMapping  bool   // a front matter without keys is an empty mapping, not none
	noFrontmatter string // the field that is missing when there is no front matter, "" for the front matter itself
	blankTexts    bool   // a description of blanks counts as one
	firstHandler  bool   // of several handlers of a hook only the first counts
	characters    int    // bound of the document
	bytes         int    // bound of the file
	grammar       grammar
}

func (p Profile) traits() traits {
	t := traits{emptyMapping: true, characters: 10 * softDocument, bytes: maxDocumentBytes}
	switch p {
	case ProfileSpec:
		t.closed, t.grammar = true, plainNames
	case ProfileSkillKit:
		t.blankTexts, t.firstHandler, t.grammar = true, true, namespacedNames
	case ProfileClarvis:
		// Bounds of the later monorepo of that system.
		t.aliased, t.commas, t.noFrontmatter, t.bytes, t.grammar = true, true, "name", 256<<10, looseNames
	case ProfileSmarter:
		t.keepsBlanks, t.emptyMapping, t.characters, t.grammar = true, false, softDocument, plainNames
	case ProfileZidane:
		t.flat, t.noFrontmatter, t.grammar = true, "description", plainNames
	default:
		t.repairs, t.keepsBlanks, t.oneError, t.aliased, t.joins = true, true, true, true, true
	}
	return t
}
