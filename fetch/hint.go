package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"

	"skills/fetch/internal/archive"
	"skills/fetch/internal/web"
	"skills/source"
)

// inStore is for when no host can be asked.
const inStore = "what is in the store installs with --offline"

// usualHint says what helps against an error whatever it is about.
func usualHint(e *Error) string {
	switch e.Kind {
	case NotFound:
		if e.Host == "" {
			return "check the path; what a source has is shown by --list"
		}
		return "check the spelling; what the source has is shown by --list, without a path"
	case Forbidden:
		return "check that you may read it"
	case RateLimited:
		return "wait, or give a token: it has a higher limit"
	case Network:
		return "check the connection, or try again later; " + inStore
	case DNS:
		return "check how " + e.Host + " is spelt, and the connection; " + inStore
	case Proxy:
		return "check HTTPS_PROXY; hosts that need no proxy belong into NO_PROXY"
	case Timeout:
		return "try again later: a host that is silent for so long is down or busy, or a firewall is in the way; " + inStore
	case TLS:
		return "behind a proxy that opens TLS, name its authority with SSL_CERT_FILE or ca_file"
	case HostKeyUnknown, HostKeyChanged:
		return "compare the key of the host with the one that it publishes, and put that into known_hosts"
	case TooLarge:
		return "if you trust the source, raise its bound in [limits] of config.toml"
	case WrongContent:
		return "see in a browser what is there; name the SKILL.md, the archive or the repository itself"
	case Integrity:
		return "if the change is wanted, update it or add it again"
	case PathEscape:
		return "ask the author for an archive whose entries stay in it; nothing of it was unpacked"
	case PrivateAddress:
		return fmt.Sprintf("if this is a host of your own network, say so in config.toml: [host.%q]", e.Host)
	case Offline:
		return "run it once without --offline"
	case Unsupported:
		return "name it in another form: a repository as owner/repo, a directory as ./directory, an archive as tar, tar.gz or zip"
	}
	return "see with -v which request failed, and try again later"
}

// archiveHint says what helps against what is wrong with an archive; "" takes the usual.
func archiveHint(code archive.Code) string {
	if code == archive.Unsupported {
		return "pack it anew as a plain tar.gz or zip, or ask the author to"
	}
	return ""
}

// limitHint says how a bound is raised: by the key that the command line has for it.
func limitHint(what string) string {
	key := map[string]string{
		"bytes": "download", "unpacked bytes": "unpacked", "bytes in one object": "file", "objects": "files",
		"levels of directories": "depth", "times the packed size": "ratio",
	}[what]
	return fmt.Sprintf("if you trust the source, raise the bound %q in [limits] of config.toml", key)
}

// network fills in what a failed request says.
func (e *Error) network(what string, failure *web.Error) {
	e.Host, e.Status, e.Reset, e.Tried, e.Led = failure.Host, failure.Status, failure.Until, failure.From, failure.Led
	switch failure.Kind {
	case web.Network, web.DNS, web.TLS, web.PrivateAddress:
		e.Kind = Code(failure.Kind)
	case web.Proxy:
		e.Kind = Proxy
		if failure.Status == http.StatusProxyAuthRequired {
			e.Hint = "the proxy wants to know who asks: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT"
		}
	case web.Timeout:
		e.Kind = Timeout
		if failure.Whole {
			e.Hint = "a transfer that takes its time may be given more with time in [limits] of config.toml"
		}
	case web.Led:
		e.Kind, e.Hint = PrivateAddress, "if it is wanted, add it from "+e.Host+" itself"
	case web.RateLimited:
		e.Kind, e.Host = RateLimited, failure.Owner
		if e.Tried != "" {
			e.Hint = "wait: this is the limit of the credential from " + e.Tried
		}
	case web.TooLarge:
		e.Kind, e.Hint = TooLarge, `if you trust the source, raise the bounds "download" and "file" in [limits] of config.toml`
	case web.Credential:
		e.Kind, e.Hint = Forbidden, "correct what is said there, or give a token in a variable"
	case web.Refused:
		e.Hint = "give the address where it leads, if that is one that begins with https:// and names no port"
	case web.Status:
		e.Host = failure.Owner
		e.status(what, failure)
	}
}

// status tells a missing repository from one that is refused. Hosts hide private repositories: to strangers they do not exist.
func (e *Error) status(what string, failure *web.Error) {
	status := failure.Status
	answered := fmt.Sprintf("(%s answered %d)", failure.Host, status)
	switch {
	case status == 401 || status == 404 || status == 410:
		e.Kind, e.Message = NotFound, fmt.Sprintf("%s is not there, or is private %s", what, answered)
		e.Hint = "check the spelling; what is private needs a token with access to it"
		if e.Tried != "" {
			e.Message = fmt.Sprintf("%s is not there, or the credential from %s has no access to it %s", what, e.Tried, answered)
			e.Hint = fmt.Sprintf("check the spelling; the credential from %s must be valid and may have to be given access", e.Tried)
		}
	case status == 403:
		e.Kind, e.Message = Forbidden, fmt.Sprintf("%s gives no access to %s %s", e.Host, what, strings.Replace(answered, "("+e.Host+" ", "(it ", 1))
		e.Hint = "it may be private: give a token with access to it"
		if e.Tried != "" {
			e.Message = fmt.Sprintf("%s gives no access to %s with the credential from %s %s", e.Host, what, e.Tried, answered)
			e.Hint = fmt.Sprintf("check the rights of the credential from %s, and whether its organization must authorize it first", e.Tried)
		}
	case status >= 500:
		e.Hint = fmt.Sprintf("the trouble is at %s: try again later; %s", failure.Host, inStore)
	default:
		e.Hint = "look at the address in a browser: the host says there why it does not give it"
	}
	if e.Led != "" && (status == 401 || status == 403) {
		e.Hint = fmt.Sprintf("credentials do not follow where %s leads: give https://%s%s itself", e.Led, failure.Host, failure.Path)
	}
}

// signed says of an address whose query was left out that this may be why its host refuses.
func signed(l source.Locator, err *error) {
	var refused *Error
	_, query, cut := strings.Cut(l.Input, "?")
	if !cut || query == "" || l.Kind == source.Git || !errors.As(*err, &refused) || refused.Status/100 != 4 || refused.Kind == RateLimited {
		return
	}
	name := "pack.zip"
	if u, parsed := url.Parse(l.URL); parsed == nil && path.Ext(u.Path) != "" {
		name = path.Base(u.Path)
	}
	refused.Hint = fmt.Sprintf("what stands behind \"?\" was left out, for it may be a secret: download it yourself and give ./%s", name)
	refused.Cut = true
}
