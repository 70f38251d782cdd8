package delegate

// Engine says who installs.
type Engine string

// The engines.
const (
	Native Engine = "native" // this program
	Skills Engine = "skills" // the npm tool
)

// Facts is what the choice of an engine depends on. The zero value is a request for a
// whole source on a machine without the npm tool.
type Facts struct {
	Named  bool // the request names skills
	All    bool // it is for all skills of a source
	Found  bool // the npm tool is on this machine
	Avoids bool // this program is preferred even so
}

// Choose gives the engine for a request that leaves it open, and where that is Native,
// why: only named skills are delegated, since only this program can tell a source of one
// skill from a source of many, and only to a tool that is there and not unwanted.
func Choose(f Facts) (engine Engine, reason string) {
	switch {
	case f.All:
		return Native, "all skills are asked for"
	case !f.Named:
		return Native, "no skill is named"
	case !f.Found:
		return Native, "the npm tool is not on this machine"
	case f.Avoids:
		return Native, "it is preferred"
	}
	return Skills, ""
}
