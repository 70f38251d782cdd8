package delegate

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Search says where the npm tool is looked for.
type Search struct {
	Path       string // value of the variable PATH; entries that are not absolute are passed over
	Extensions string // value of PATHEXT; used on Windows alone, "" is the usual one
	Self       string // absolute path of the running executable
}

// Find gives the path of the first program named skills that is not this one, through
// links or not. The error is an *Error "delegate_missing", which says when there was
// nothing but this program, or when Self cannot be examined, so that nothing can be
// told apart from it.
func (s Search) Find() (string, error) {
	self, err := os.Stat(s.Self)
	if err != nil {
		return "", &Error{Kind: "delegate_missing", Message: "the npm tool \"skills\" cannot be told from this program: " + err.Error(), Hint: nativeHint, Cause: err}
	}
	met := false
	for _, dir := range filepath.SplitList(s.Path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, name := range s.names() {
			program := filepath.Join(dir, name)
			info, err := os.Stat(program)
			switch {
			case err != nil || !isProgram(info):
			case os.SameFile(self, info):
				met = true
			default:
				return program, nil
			}
		}
	}
	message := "the npm tool \"skills\" is not on PATH"
	if met {
		message += ", where only this program has that name"
	}
	return "", &Error{Kind: "delegate_missing", Message: message, Hint: "install it with: npm install --global skills; or " + nativeHint}
}

// names are the file names that the tool may have.
func (s Search) names() []string {
	if runtime.GOOS != "windows" {
		return []string{"skills"}
	}
	extensions := s.Extensions
	if extensions == "" {
		extensions = ".com;.exe;.bat;.cmd"
	}
	var names []string
	for extension := range strings.SplitSeq(strings.ToLower(extensions), ";") {
		if strings.HasPrefix(extension, ".") {
			names = append(names, "skills"+extension)
		}
	}
	return names
}

func isProgram(info os.FileInfo) bool {
	return info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// Guard is the variable by which a copy of this program learns that it was run in place
// of the npm tool.
const Guard = "SKILLS_DELEGATED"

// Refuse gives an *Error "delegate_loop" when the environment (NAME=value) says that this
// program was run in place of the npm tool, nil otherwise. Whoever adds skills asks first.
func Refuse(environment []string) error {
	for _, variable := range environment {
		if value, found := strings.CutPrefix(variable, Guard+"="); found && value != "" {
			return &Error{
				Kind: "delegate_loop", Message: "this program was run in place of the npm tool \"skills\" by a copy of itself",
				Hint: fmt.Sprintf("take the other copy off PATH, or %s; by hand, unset %s", nativeHint, Guard),
			}
		}
	}
	return nil
}
