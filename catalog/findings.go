// # Codes
//
// These are all codes that this package and those below it give to findings, and those of errors. What a finding means for the skill
// is its Severity: that of a code of a document is up to the profile, see Profile.Severity. Messages are for people and change; codes
// stay, and new ones come.
//
// Of the file and its fences.
//
//	leading_whitespace       blanks or a byte order mark stand before the front matter
//	byte_order_mark          author.Fix took one away
//	fence_blanks             blanks stand behind the three hyphens
//	lone_cr                  a line ends in a carriage return alone
//	not_utf8                 bytes of the body are not UTF-8
//	nul_bytes                NUL bytes in the body
//	line_separator           the front matter holds a line separator of Unicode
//	control_character        a control character, as terminals obey
//	bidi_control             a character that changes the order in which text is shown
//	hidden_text              text in invisible tag characters
//	lfs_pointer              the file is a Git LFS pointer, not the content
//	too_long                 more characters than the bound of the document, the field or the file
//	long_skill               more than 500 lines
//	empty_body               there are no instructions
//	plugin_root              ${CLAUDE_PLUGIN_ROOT}, which is empty outside a plugin
//	shell_span_in_code       of expand: a shell span in fenced code, which stays text
//	missing_reference        the instructions refer to a file that is not there
//	link_outside             the instructions link to files that are not installed
//
// Of the keys of the front matter.
//
//	yaml_repaired            a value is no YAML and was taken as text
//	unreadable               no YAML: only the name and the description were read
//	duplicate_key            a key is there twice
//	unknown_key              a key that nobody reads, or that is misspelled
//	deprecated_field         a key that zidane has moved below metadata
//	type_coerced             a value of another type was taken as it is written
//	invalid_field            a value does not fit its key
//	blank_description        the description is nothing but blanks
//	name_defaulted           there is no name, and that of the directory is meant
//	name_format              the name breaks the rule of the profile
//	name_whitespace          blanks stand around the name
//	name_mismatch            the name is not that of the directory
//	mixed_scripts            the name mixes alphabets that look alike
//	unbalanced               of allowed-tools: parentheses do not pair up
//	stray_parens             of allowed-tools: parentheses stand apart from their tool
//	tool_item_has_separator  of allowed-tools: an entry of a list holds a separator
//	tool_format              of allowed-tools: an entry names no tool
//	tools_ambiguous          of allowed-tools: some readers see other entries
//	allowed_tools_form       author.Fix wrote it so that all readers see the same entries
//	unknown_hook_event       a hook for an event that is not known
//	unknown_hook_type        a handler of a hook that is no command
//	second_hook_handler      only the first handler of a hook counts
//
// Of files and directories.
//
//	manifest_case            the manifest is not spelled SKILL.md, or is there in several spellings
//	case_conflict            two paths are one file on some systems
//	windows_name             a name that Windows cannot hold
//	secret_file              a file that usually holds secrets
//	git_directory            a directory that is .git on some systems
//	submodule                a submodule, which is not fetched
//	link_as_text             a file that is probably a link, committed as text
//	dangling_link            a link to nothing
//	escaping_link            of resource: a link that leads out of the skill
//	not_a_file               neither a file nor a directory, or no regular file where one is needed
//
// Of listings and registries.
//
//	limit                    what is beyond a bound is left out
//	whole_repository         the repository itself is the skill, with all of its files
//	root_copy                the skill at the root is a copy of one below it
//	same_content             several directories hold the same skill
//	same_name                one of several skills of a name was taken
//	ambiguous_name           several skills have one name, and no place is best
//	name_case                two names differ only in letter case
//	name_conflict            several skills would be installed in one directory
//	duplicate_skill          a name is there twice in one root; with registry.Config.Strict an error
//	shadowed                 a skill hides another one of its name
//	untrusted                a skill was dropped with its project
//	unknown_name             the configuration names a skill that is not there
//	marketplace              a marketplace file that does not count
//	plugin_invalid           a marketplace entry, or a part of one, that cannot be read
//	plugin_duplicate         two plugins have one name
//	plugin_path              a plugin names a file where its directory is meant
//	plugin_missing           a plugin names a directory without a skill
//	plugins_elsewhere        plugins of the marketplace lie in other repositories
//
// Kinds of Error, which are codes where a list holds errors as findings, as those of Inspect and of a registry do.
//
//	invalid_skill            the document is no skill; Reason says why, and is the code in place of this one but in a registry
//	unsafe_name              a name that cannot be part of a path on every system, or a file with one
//	path_escape              a path or a link that leads out of where it must stay
//	too_large                more files or bytes than the bounds
//	not_found                nothing is there, or nothing of that name
//	no_skills                there is no SKILL.md, or a plugin has none
//	io_error                 the system says so, or a link leads back to itself
//	invalid_input            what was handed in makes no sense: a profile, a path that is empty or absolute, a resource, a skill that is nil
//	already_exists           of disk.Write: the name is taken; of author.Define: two resources are one file
//	ambiguous                a name means several files, or several skills
//	elsewhere                of SelectError: the plugin lies in another repository
//
// Reasons of "invalid_skill".
//
//	frontmatter_missing      there is none
//	fence_unclosed           it has no end
//	yaml                     it cannot be read as YAML
//	not_a_mapping            it is no mapping of keys to values
//	missing_field            there is no name, or no description; of author.Fix: it gave one
//	not_text                 bytes that no text has
//	template                 it holds placeholders, and is no skill yet
package catalog
