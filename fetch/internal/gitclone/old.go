package gitclone

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"skills/fetch/internal/gitwire"
	"skills/fetch/internal/turn"
	"skills/fetch/internal/web"
)

// Old is a repository on a server that speaks versions 0 or 1 of the git protocol over HTTPS.
// Its methods may be called from several goroutines; they take turns.
type Old struct {
	doer gitwire.Doer
	url  string

	turn turn.Turn
	open *session
}

// NewOld returns the repository that a clone URL names. Credentials are the business of the doer.
func NewOld(doer gitwire.Doer, url string) *Old { return &Old{doer: doer, url: url, turn: turn.New(1)} }

// session is one conversation: in the old versions it begins with a list of all refs.
type session struct {
	transport.UploadPackSession
	refs    *packp.AdvRefs
	carrier *carrier
}

// Refs lists all refs, HEAD first, then by name. An empty repository has none. The error is a
// *web.Error when the server gave a status, gitwire.ErrNotGit when it is no git server.
func (o *Old) Refs(ctx context.Context) ([]gitwire.Ref, error) {
	if err := o.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer o.turn.Give()
	o.open = nil // what was listed before may have moved
	s, err := o.session(ctx)
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.list(), nil
}

// Fetch gives the pack with a commit to the sink: the commit alone when the server lets it be
// asked for, else with the history of the ref (a full name), or of all branches. In that
// case the sink must look whether the commit came. A commit that the server
// does not have is an *Error with code NotFound.
func (o *Old) Fetch(ctx context.Context, commit, ref string, sink Sink) error {
	if err := o.turn.Take(ctx); err != nil {
		return err
	}
	defer o.turn.Give()
	s, err := o.session(ctx)
	if err != nil {
		return err
	}
	request, err := s.request(commit, ref)
	if err != nil {
		return err
	}
	pack, err := s.UploadPack(web.Repeatable(ctx), request)
	if err != nil {
		return s.carrier.explain(err, commit)
	}
	defer pack.Close()
	return sink(unmixed(pack, request.Capabilities.Supports))
}

// unmixed takes the pack out of a stream that holds messages besides.
func unmixed(pack io.Reader, agreed func(capability.Capability) bool) io.Reader {
	switch {
	case agreed(capability.Sideband64k):
		return sideband.NewDemuxer(sideband.Sideband64k, pack)
	case agreed(capability.Sideband):
		return sideband.NewDemuxer(sideband.Sideband, pack)
	}
	return pack
}

// session opens the conversation.
func (o *Old) session(ctx context.Context) (*session, error) {
	if o.open != nil {
		return o.open, nil
	}
	s, err := o.begin(ctx)
	if err == nil {
		o.open = s
	}
	return s, err
}

func (o *Old) begin(ctx context.Context) (*session, error) {
	endpoint, err := transport.NewEndpoint(o.url)
	if err != nil {
		return nil, err
	}
	s := &session{carrier: &carrier{doer: o.doer}}
	client := githttp.NewClient(&http.Client{Transport: s.carrier})
	if s.UploadPackSession, err = client.NewUploadPackSession(endpoint, nil); err != nil {
		return nil, err
	}
	s.refs, err = s.AdvertisedReferencesContext(ctx)
	if err != nil {
		return nil, s.carrier.explain(err, "")
	}
	return s, nil
}

// list makes our kind of refs of go-git's.
func (s *session) list() []gitwire.Ref {
	var refs []gitwire.Ref
	for name, id := range s.refs.References {
		r := gitwire.Ref{Name: name, ID: id.String()}
		if peeled, ok := s.refs.Peeled[name]; ok {
			r.Peeled = peeled.String()
		}
		refs = append(refs, r)
	}
	slices.SortFunc(refs, func(a, b gitwire.Ref) int { return cmp.Compare(a.Name, b.Name) })
	if s.refs.Head == nil {
		return refs
	}
	head := gitwire.Ref{Name: "HEAD", ID: s.refs.Head.String()}
	for _, symbolic := range s.refs.Capabilities.Get(capability.SymRef) {
		if target, ok := strings.CutPrefix(symbolic, "HEAD:"); ok {
			head.Target = target
		}
	}
	return append([]gitwire.Ref{head}, refs...)
}

// request says what to ask for. Only the ids of refs may be wanted, unless the server says more.
func (s *session) request(commit, ref string) (*packp.UploadPackRequest, error) {
	request := packp.NewUploadPackRequestFromCapabilities(s.refs.Capabilities)
	can := s.refs.Capabilities.Supports
	refs := s.list()
	want, advertised := advertisedID(refs, commit)
	wants := []string{want}
	alone := advertised || can(capability.AllowReachableSHA1InWant)
	if !alone {
		wants = tips(refs, ref)
	}
	if len(wants) == 0 {
		return nil, notThere(commit)
	}
	for _, want := range wants {
		request.Wants = append(request.Wants, plumbing.NewHash(want))
	}
	return request, s.choose(request, alone && can(capability.Shallow))
}

// choose sets the capabilities that go-git does not set itself.
func (s *session) choose(request *packp.UploadPackRequest, shallow bool) error {
	if s.refs.Capabilities.Supports(capability.NoProgress) {
		if err := request.Capabilities.Set(capability.NoProgress); err != nil {
			return err
		}
	}
	if !shallow {
		return nil
	}
	request.Depth = packp.DepthCommits(1)
	return request.Capabilities.Set(capability.Shallow)
}

// advertisedID finds the id that brings a commit: its own, or that of a tag which names it.
func advertisedID(refs []gitwire.Ref, commit string) (id string, advertised bool) {
	for _, r := range refs {
		if r.ID == commit {
			return commit, true
		}
		if r.Peeled == commit {
			id = r.ID
		}
	}
	if id != "" {
		return id, true
	}
	return commit, false
}

// carrier takes go-git's requests to the one HTTP client, and keeps the reason of a failure,
// which go-git turns into text.
type carrier struct {
	doer    gitwire.Doer
	failure error
}

// RoundTrip sends one request. Redirects are followed by net/http, as go-git tells it.
func (c *carrier) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := c.doer.Do(req)
	if err == nil && resp.StatusCode/100 != 3 {
		if err = check(resp); err != nil {
			resp.Body.Close()
		}
	}
	if err != nil {
		c.failure = err
		return nil, err
	}
	return resp, nil
}

func check(resp *http.Response) error {
	if err := web.CheckStatus(resp); err != nil {
		return err
	}
	kind := "result"
	if resp.Request.Method == http.MethodGet {
		kind = "advertisement"
	}
	if media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";"); media != "application/x-git-upload-pack-"+kind {
		return fmt.Errorf("%w: %s gave %q", gitwire.ErrNotGit, resp.Request.URL.Hostname(), media)
	}
	if kind == "advertisement" {
		return web.Limit(resp, maxRefs)
	}
	return nil
}

// explain finds the cause of an error of go-git.
func (c *carrier) explain(err error, commit string) error {
	switch text := clean(err.Error()); {
	case c.failure != nil:
		return c.failure
	case errors.Is(err, transport.ErrEmptyRemoteRepository), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case strings.Contains(text, "not our ref"), errors.Is(err, transport.ErrEmptyUploadPackRequest):
		return notThere(commit)
	default:
		return &Error{Code: Failed, Text: "the server's answer is not understood: " + text, Err: err}
	}
}
