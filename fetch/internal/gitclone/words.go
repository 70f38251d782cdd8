package gitclone

import (
	"slices"
	"strings"
)

// meaning is what words of git, ssh or a server stand for.
type meaning struct {
	words string // alternatives in lower case, parted by "|"
	code  Code
	text  string // a better sentence than theirs; "" takes the line with the words
	hint  string // LOGIN, KEY, SCAN and HOST stand for the peer, as ssh, ssh-keygen, ssh-keyscan and people take it
}

// meanings are in the order in which they count.
func meanings() []meaning {
	return []meaning{
		{"remote host identification has changed", HostKeyChanged,
			"the key of HOST is not the one that is known: the host may have a new one, or somebody stands in between",
			`compare the fingerprint with the one that the host publishes; only if it is right, forget the old key with "ssh-keygen -R KEY"`},
		{"host key verification failed|host key is known for|no hostkey alg", HostKeyUnknown, "the key of HOST is not known",
			`connect once with "ssh -T LOGIN" and compare the fingerprint, or add to known_hosts what "ssh-keyscan SCAN" gives once it is compared`},
		{"too many authentication failures", Forbidden, "",
			"name the one key for this host in the configuration of ssh (IdentityFile, IdentitiesOnly yes)"},
		{"permission denied (", Forbidden, "",
			`load your key into ssh-agent with "ssh-add", and see with "ssh -T LOGIN" that the host takes it; no passphrase is asked for here`},
		{"permission denied|authentication failed|could not read username|could not read password|terminal prompts disabled|http 403|error: 403|error: 401|access denied|not allowed to",
			Forbidden, "", "check that your key or credential helper works without a question, and that it has access"},
		{"git-upload-pack: command not found|git-upload-pack: not found|git-upload-pack' is not recognized|command not found: git-upload-pack|unknown command: git-upload-pack",
			NoGit, "HOST has no git-upload-pack", "git must be installed there, in the PATH of a login without a terminal"},
		{"could not resolve host", DNS, "", "check the spelling of the host, and the connection"},
		{"connection refused", Network, "", "nothing listens there: check the host and the port"},
		{"timed out", Timeout, "", "check the connection and the port; a firewall may be in the way"},
		{"network is unreachable|no route to host|could not connect|connection reset|connection closed|closed by remote host|broken pipe",
			Network, "", "check the connection and the address"},
		{"not our ref|couldn't find remote ref|unadvertised object", NotFound, "", ""},
		{"does not appear to be a git repository|repository not found|not found|could not be found|cannot find repository|no such repository|does not exist|error: 404",
			NotFound, "", "check the spelling, and that you have access"},
	}
}

// Peer is whom ssh connects to.
type Peer struct{ User, Host, Port string } // User and Port may be empty

// String is the address as people write it, "git@example.com:7999".
func (p Peer) String() string {
	text := p.Host
	if p.User != "" {
		text = p.User + "@" + text
	}
	if p.Port != "" {
		text += ":" + p.Port
	}
	return text
}

// fill puts the peer into a hint.
func (p Peer) fill(text string) string {
	login, key, scan := p.Host, p.Host, p.Host
	if p.User != "" {
		login = p.User + "@" + p.Host
	}
	if p.Port != "" {
		login, key, scan = "-p "+p.Port+" "+login, "["+p.Host+"]:"+p.Port, "-p "+p.Port+" "+p.Host
	}
	return strings.NewReplacer("LOGIN", login, "KEY", key, "SCAN", scan, "HOST", p.Host).Replace(text)
}

// Explain makes an error of what ssh or git said, or a server by them.
func Explain(said string, peer Peer, err error) *Error {
	said = clean(said)
	for _, m := range meanings() {
		if line, ok := m.line(said); ok {
			if m.text != "" {
				line = peer.fill(m.text)
			}
			return &Error{Code: m.code, Text: line, Hint: peer.fill(m.hint), Err: err}
		}
	}
	return &Error{Code: Failed, Text: gist(said), Err: err}
}

// line finds the line with the words, the one that says most before others.
func (m meaning) line(said string) (string, bool) {
	for _, line := range append([]string{gist(said)}, strings.Split(said, "\n")...) {
		for words := range strings.SplitSeq(m.words, "|") {
			if strings.Contains(strings.ToLower(line), words) {
				return strings.TrimPrefix(strings.TrimSpace(line), "fatal: "), true
			}
		}
	}
	return "", false
}

// PeerOf is whom an address names. Users of https may be tokens, so only those of ssh are repeated, never with a password.
func PeerOf(url string) Peer {
	scheme, rest, ok := strings.Cut(url, "://")
	if ok {
		url = rest
	}
	authority, _, _ := strings.Cut(url, "/")
	var p Peer
	if i := strings.LastIndex(authority, "@"); i >= 0 {
		if !ok || strings.HasSuffix(scheme, "ssh") {
			p.User, _, _ = strings.Cut(authority[:i], ":")
		}
		authority = authority[i+1:]
	}
	p.Host, p.Port, _ = strings.Cut(authority, ":")
	if strings.Trim(p.Port, "0123456789") != "" { // a path in the form HOST:PATH
		p.Port = ""
	}
	return p
}

// gist is the line that says what is wrong: the first fatal one, else the last.
func gist(said string) string {
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(said), "\n"), func(line string) bool {
		return strings.TrimSpace(line) == ""
	})
	for _, line := range lines {
		if reason, ok := strings.CutPrefix(line, "fatal: "); ok && !strings.HasPrefix(reason, "Could not read from remote") {
			return reason
		}
	}
	if len(lines) == 0 {
		return "it gave no reason"
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "fatal: ") {
			return line
		}
	}
	return strings.TrimPrefix(lines[0], "fatal: ")
}
