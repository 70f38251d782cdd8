package gitssh

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"skills/fetch/internal/gitclone"
)

// address is a repository on a server of ssh.
type address struct {
	peer gitclone.Peer
	path string // as git-upload-pack takes it
}

// What a name may be that ssh puts into its own configuration (%h, %r), where a command may stand.
var (
	hostPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)
	userPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._~+-]*$`)
	portPattern = regexp.MustCompile(`^[0-9]{0,5}$`)
)

// parse reads an address as git does (git-clone(1), "GIT URLS").
func parse(text string) (address, error) {
	var a address
	if strings.HasPrefix(text, "ssh://") {
		u, err := url.Parse(text)
		if err != nil {
			return a, a.bad(text)
		}
		a.peer = gitclone.Peer{User: u.User.Username(), Host: u.Hostname(), Port: u.Port()}
		if a.path = u.Path; strings.HasPrefix(a.path, "/~") {
			a.path = a.path[1:]
		}
	} else {
		host, path, _ := strings.Cut(text, ":")
		user, name, ok := strings.Cut(host, "@")
		if !ok {
			user, name = "", host
		}
		a.peer, a.path = gitclone.Peer{User: user, Host: name}, path
	}
	if !a.sound() {
		return address{}, a.bad(text)
	}
	return a, nil
}

// sound reports whether nothing of the address can be taken for something else.
func (a address) sound() bool {
	_, err := netip.ParseAddr(a.peer.Host)
	numeric := err == nil && !strings.Contains(a.peer.Host, "%")
	return (numeric || hostPattern.MatchString(a.peer.Host)) && (a.peer.User == "" || userPattern.MatchString(a.peer.User)) &&
		portPattern.MatchString(a.peer.Port) && a.path != "" && a.path[0] != '-' && !strings.ContainsFunc(a.path, unicode.IsControl)
}

func (a address) bad(text string) error {
	return &gitclone.Error{Code: gitclone.Failed, Text: fmt.Sprintf("%q is no address that ssh can be given", text)}
}

// shown is the path as it stands behind the host.
func (a address) shown() string { return "/" + strings.TrimPrefix(a.path, "/") }

// command is what the login shell of the other side runs, quoted as git quotes it: csh expands "!" even within quotes.
func (a address) command() string {
	return "git-upload-pack '" + strings.NewReplacer("'", `'\''`, "!", `'\!'`).Replace(a.path) + "'"
}

// timeout makes an error of what took too long.
func (a address) timeout(err error) error {
	return &gitclone.Error{Code: gitclone.Timeout, Text: fmt.Sprintf("%s is too slow: %v", a.peer, err), Hint: "try again later", Err: err}
}
