// Package npm reads what an npm registry says of a package, and chooses a version of it. It asks nobody: bytes in, a version out.
//
// Rules it follows:
//
//   - what is asked for is a tag of the registry ("latest" when nothing is), an exact version, or a semver range;
//   - a range is answered by the version that "latest" names when that is in it, else by the newest one in it; versions that are
//     deprecated only when there is no other, pre-releases only when the range names one, or when "latest" does and anything
//     will do (npm does the same);
//   - of the digests of a version the strongest counts: sha512, sha256, then sha1 for packages older than 2017;
//   - texts are bounded: versions and tags over 256 bytes (as in npm's own parser) are as if they were not there, a reason for a deprecation
//     ends after 500, and an address over 4,096 cannot be used.
//
// A use:
//
//	request.Header.Set("Accept", npm.Accept)
//	p, err := npm.Parse(data)
//	version, err := p.Choose("^1.2")
package npm

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Accept asks a registry for the short form of a package's document, which has all that is needed here.
const Accept = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8"

// Bounds of the texts that are shown, in bytes.
const (
	maxVersion = 256
	maxReason  = 500
	maxAddress = 4096
)

// Registry is the one that everybody has.
const Registry = "https://registry.npmjs.org"

// Address gives the address of the document of a package ("name" or "@scope/name") in a registry.
func Address(registry, name string) string {
	return strings.TrimRight(registry, "/") + "/" + strings.Replace(url.PathEscape(name), "%40", "@", 1)
}

// Package is what a registry says of a package.
type Package struct {
	Name     string
	tags     map[string]string
	versions map[string]published
}

type published struct {
	Deprecated any // a text, or false
	Dist       struct{ Tarball, Integrity, Shasum string }
}

// Version is one version of a package.
type Version struct {
	Number     string
	Tarball    string // its address
	Digest     string // "sha512:…", "sha256:…" or "sha1:…" of the tarball, in hex
	Deprecated string // why, "" when it is not
}

// ErrNoPackage says that a document is none of a package.
var ErrNoPackage = errors.New("it is not the document of a package")

// NotFoundError says that a package has no version that was asked for.
type NotFoundError struct {
	Asked  string
	Latest string   // the version that is "latest"; may be empty
	Tags   []string // sorted
}

// Error says what is missing.
func (e *NotFoundError) Error() string {
	if e.Asked == "" {
		return "it has no latest version"
	}
	return fmt.Sprintf("it has no version %q", e.Asked)
}

// Parse reads the document of a package, short or long. The error is ErrNoPackage, perhaps with the reason.
func Parse(data []byte) (*Package, error) {
	var document struct {
		Name     string
		Tags     map[string]string `json:"dist-tags"`
		Versions map[string]published
	}
	if err := json.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("%w: %.200s", ErrNoPackage, err.Error()) // which may hold a number of any length
	}
	if document.Versions == nil {
		return nil, fmt.Errorf("%w: it lists no versions", ErrNoPackage)
	}
	maps.DeleteFunc(document.Tags, func(tag, number string) bool { return max(len(tag), len(number)) > maxVersion })
	maps.DeleteFunc(document.Versions, func(number string, _ published) bool { return len(number) > maxVersion })
	return &Package{document.Name, document.Tags, document.Versions}, nil
}

// Latest is the version that the tag "latest" names, "" when there is none.
func (p *Package) Latest() string { return p.tags["latest"] }

// Choose gives the version that a tag, a version or a range means; "" means the tag "latest". The error is a *NotFoundError, or
// says what is missing of a version.
func (p *Package) Choose(asked string) (Version, error) {
	number := asked
	if tagged, ok := p.tags[asked]; ok {
		number = tagged
	} else if asked == "" {
		number = p.Latest()
	} else if _, exact := p.versions[asked]; !exact {
		number = p.newest(asked)
	}
	found, ok := p.versions[number]
	if !ok {
		return Version{}, &NotFoundError{Asked: asked, Latest: p.Latest(), Tags: slices.Sorted(maps.Keys(p.tags))}
	}
	return version(number, found)
}

// newest gives the version that a range means, "" for none.
func (p *Package) newest(asked string) string {
	constraint, err := semver.NewConstraint(asked)
	if err != nil {
		return ""
	}
	var best *semver.Version
	for number, found := range p.versions {
		v, err := semver.StrictNewVersion(number)
		latest := number == p.Latest()
		if err != nil || !constraint.Check(v) && !(latest && asked == "*") {
			continue
		}
		if latest && reason(found.Deprecated) == "" {
			return number
		}
		if best == nil || p.better(found, v, best) {
			best = v
		}
	}
	if best == nil {
		return ""
	}
	return best.Original()
}

// better tells whether a version goes before the best so far.
func (p *Package) better(found published, v, best *semver.Version) bool {
	old, fresh := reason(p.versions[best.Original()].Deprecated) == "", reason(found.Deprecated) == ""
	if old != fresh {
		return fresh
	}
	return v.GreaterThan(best)
}

// reason is why a version is deprecated, "" when it is not. Registries hold texts and truth values.
func reason(deprecated any) string {
	switch value := deprecated.(type) {
	case string:
		return strings.ToValidUTF8(value[:min(len(value), maxReason)], "")
	case bool:
		if value {
			return "no reason is given"
		}
	}
	return ""
}

func version(number string, found published) (Version, error) {
	v := Version{Number: number, Tarball: found.Dist.Tarball, Deprecated: reason(found.Deprecated)}
	u, err := url.Parse(v.Tarball)
	switch {
	case len(v.Tarball) > maxAddress || err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil:
		return v, fmt.Errorf("version %s has no tarball at an https address", number)
	case found.Dist.Integrity != "":
		v.Digest, err = Integrity(found.Dist.Integrity)
	case isHex(found.Dist.Shasum, 20):
		v.Digest = "sha1:" + strings.ToLower(found.Dist.Shasum)
	default:
		err = errors.New("there is none")
	}
	if err != nil {
		err = fmt.Errorf("the digest of version %s cannot be used: %w", number, err)
	}
	return v, err
}

func isHex(text string, size int) bool {
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == size
}

// sizes are the bytes of the digests that are checked.
func sizes(algorithm string) int {
	return map[string]int{"sha512": 64, "sha256": 32, "sha1": 20}[algorithm]
}

// Integrity gives the strongest digest of a text as in Subresource Integrity (W3C): "sha512-" and base64, several parted by
// blanks, each with options behind "?". The result is "sha512:" and hex.
func Integrity(text string) (string, error) {
	best := ""
	for part := range strings.FieldsSeq(text) {
		part, _, _ = strings.Cut(part, "?")
		algorithm, encoded, _ := strings.Cut(part, "-")
		sum, err := base64.StdEncoding.DecodeString(encoded)
		if size := sizes(algorithm); err != nil || size == 0 || len(sum) != size {
			continue // an algorithm that is not known is to be passed over
		}
		if known, _, _ := strings.Cut(best, ":"); sizes(algorithm) > sizes(known) {
			best = algorithm + ":" + hex.EncodeToString(sum)
		}
	}
	if best == "" {
		return "", errors.New("it is not of a form that can be checked")
	}
	return best, nil
}
