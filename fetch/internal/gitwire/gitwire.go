// Package gitwire speaks version 2 of the git protocol (gitprotocol-v2(5)), as much of it as fetching needs: list refs, fetch
// objects. [Remote] does it over HTTPS; what it sends and reads is open to other transports: [RefsRequest], [Request.Bytes],
// [ReadCapabilities], [ReadRefs], [ReadPack].
//
// Rules of Remote:
//
//   - the protocol is stateless, so the first POST already asks what is wanted; info/refs is only asked when the answer is
//     not understood, to learn why;
//   - every fetch is one POST with all wants and "done", without haves and without thin packs: the pack stands alone;
//     commits come without their parents ("deepen 1");
//   - a POST that is redirected is repeated as a POST at the new place, which is remembered; at most three times;
//   - credentials are the business of the client that sends the requests;
//   - answers are streams: nothing but one packet is held in memory, listings of refs are bounded.
//
// Use:
//
//	remote := gitwire.New(client, "https://github.com/o/r.git")
//	refs, err := remote.Refs(ctx, "HEAD", "refs/heads/main")
//	pack, err := remote.Fetch(ctx, gitwire.Request{Wants: []string{refs[0].ID}, Filter: "blob:none"})
package gitwire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"skills/fetch/internal/web"
)

// MaxRefs bounds a listing of refs, in bytes: 200,000 refs are 13 MB.
const MaxRefs = 16 << 20

var (
	// ErrOldProtocol says that the server does not speak version 2.
	ErrOldProtocol = errors.New("the server does not speak version 2 of the git protocol")
	// ErrNotGit says that what answered is no git server: its answer is of another type, an HTML page for instance.
	ErrNotGit = errors.New("the answer is not git's")

	// ErrProtocol says that an answer is not what the protocol allows.
	ErrProtocol = errors.New("not an answer in the git protocol")

	// errEmpty is what some servers say to what they do not understand: status 200 and nothing.
	errEmpty = errors.New("the answer is empty")
)

// RefusedError is a server's own word for what it does not do: an object that is not there, a filter that is not allowed,
// or something that it does not understand, to which some only answer with nothing.
type RefusedError struct {
	Text string // as the server said it; may be empty; not safe to print as it is
}

// Error gives the server's words.
func (e *RefusedError) Error() string {
	if e.Text == "" {
		return "the server refused without a reason"
	}
	return fmt.Sprintf("the server refused: %q", e.Text)
}

// MissingObject reports whether a wanted object is not there, or not for us.
func (e *RefusedError) MissingObject() bool {
	return strings.Contains(e.Text, "not our ref") || strings.Contains(e.Text, "no such") ||
		strings.Contains(e.Text, "unadvertised object")
}

// Doer sends one request without following redirects; [web.Client] is one.
type Doer interface {
	// Do sends the request and returns whatever answers it, as [http.Client.Do] does.
	Do(*http.Request) (*http.Response, error)
}

// Remote is one repository on one server. Its methods may be called from several goroutines.
type Remote struct {
	doer Doer

	mu  sync.Mutex
	url string // moves with redirects
}

// New returns the repository that a clone URL names.
func New(doer Doer, url string) *Remote {
	return &Remote{doer: doer, url: strings.TrimSuffix(url, "/")}
}

// Refs lists the refs that begin with one of the prefixes, all of them when there is none. Symbolic refs come with their
// target, annotated tags with what they name. An empty repository has none.
func (r *Remote) Refs(ctx context.Context, prefixes ...string) ([]Ref, error) {
	body := RefsRequest(prefixes)
	refs, err := r.refs(ctx, body)
	if !doubtful(err) {
		return refs, err
	}
	if _, unable := r.Capabilities(ctx); unable != nil {
		return nil, unable
	}
	refs, err = r.refs(ctx, body)
	return refs, refusal(err)
}

// RefsRequest is the command that lists refs, as bytes.
func RefsRequest(prefixes []string) []byte {
	body := append(appendLine(nil, "command=ls-refs"), "0001"...)
	body = appendLine(appendLine(body, "peel"), "symrefs")
	for _, prefix := range prefixes {
		body = appendLine(body, "ref-prefix "+prefix)
	}
	return append(body, "0000"...)
}

// doubtful reports whether the server may not have understood the request.
func doubtful(err error) bool {
	var refused *RefusedError
	return err == errEmpty || errors.Is(err, ErrProtocol) || errors.As(err, &refused)
}

func refusal(err error) error {
	if err == errEmpty {
		return &RefusedError{}
	}
	return err
}

func (r *Remote) refs(ctx context.Context, body []byte) ([]Ref, error) {
	resp, err := r.post(ctx, body)
	if err != nil {
		return nil, err
	}
	defer func() { discard(resp) }()
	if err := web.Limit(resp, MaxRefs); err != nil {
		return nil, err
	}
	return ReadRefs(resp.Body)
}

// Capabilities asks the server what it can do. [ErrOldProtocol] is an answer, too.
func (r *Remote) Capabilities(ctx context.Context) (Capabilities, error) {
	resp, err := r.send(ctx, http.MethodGet, "/info/refs?service=git-upload-pack", "advertisement", nil)
	if err != nil {
		return Capabilities{}, err
	}
	defer func() { discard(resp) }()
	if err := web.Limit(resp, MaxRefs); err != nil {
		return Capabilities{}, err
	}
	return ReadCapabilities(resp.Body)
}

// Request says what to fetch.
type Request struct {
	Wants  []string // ids of commits, trees or blobs
	Filter string   // gitrevisions' object filter ("blob:none"), or "" for everything that the wants reach
}

// Fetch returns the pack as a stream, which the caller closes. A *RefusedError says that the server does not do it, which
// has three reasons: an object that is not there, a filter that it does not take, or too old a protocol; ask
// [Remote.Capabilities] when the text does not tell. The stream may end in one, too.
func (r *Remote) Fetch(ctx context.Context, request Request) (io.ReadCloser, error) {
	resp, err := r.post(ctx, request.Bytes())
	if err != nil {
		return nil, err
	}
	pack, err := ReadPack(resp.Body)
	if err != nil {
		resp.Body.Close()
		return nil, refusal(err)
	}
	return pack, nil
}

// Bytes is the command that fetches, as bytes.
func (q Request) Bytes() []byte {
	body := append(appendLine(nil, "command=fetch"), "0001"...)
	body = appendLine(appendLine(appendLine(body, "no-progress"), "ofs-delta"), "deepen 1")
	if q.Filter != "" {
		body = appendLine(body, "filter "+q.Filter)
	}
	for _, id := range q.Wants {
		body = appendLine(body, "want "+id)
	}
	return append(appendLine(body, "done"), "0000"...)
}

func (r *Remote) post(ctx context.Context, body []byte) (*http.Response, error) {
	return r.send(ctx, http.MethodPost, "/git-upload-pack", "result", body)
}

// send makes one request of the smart HTTP protocol (gitprotocol-http(5)) and follows its redirects. The answer's type must be git's.
func (r *Remote) send(ctx context.Context, method, path, kind string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(web.Repeatable(ctx), method, r.address()+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Git-Protocol", "version=2")
	req.Header.Set("Accept", "application/x-git-upload-pack-"+kind)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-git-upload-pack-request")
	}
	resp, err := r.follow(req, path)
	if err != nil {
		return nil, err
	}
	if err := web.CheckStatus(resp); err != nil {
		discard(resp)
		return nil, err
	}
	if media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";"); media != "application/x-git-upload-pack-"+kind {
		discard(resp)
		return nil, fmt.Errorf("%w: %s gave %q", ErrNotGit, resp.Request.URL.Hostname(), media)
	}
	return resp, nil
}

// follow sends req, and again where the server wants it.
func (r *Remote) follow(req *http.Request, path string) (*http.Response, error) {
	for redirects := 0; ; {
		resp, err := r.doer.Do(req)
		if err != nil {
			return nil, err
		}
		next, err := web.Follow(req, resp)
		if redirects++; next != nil && redirects > 3 {
			err = fmt.Errorf("%s redirects more than 3 times", req.URL.Hostname())
		}
		if err != nil {
			discard(resp)
			return nil, err
		}
		if next == nil {
			r.moved(req, path)
			return resp, nil
		}
		discard(resp)
		req = next
	}
}

// address is where the repository answered last.
func (r *Remote) address() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.url
}

// moved remembers where the repository answered.
func (r *Remote) moved(req *http.Request, path string) {
	if url, ok := strings.CutSuffix(req.URL.String(), path); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.url = url
	}
}

// discard closes an answer of which little is left, so that its connection can be used again.
func discard(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, 4096)
	_ = resp.Body.Close()
}
