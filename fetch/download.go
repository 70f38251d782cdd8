package fetch

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"skills/fetch/internal/archive"
	"skills/fetch/internal/web"
	"skills/source"
)

// order says what is downloaded.
type order struct {
	address string
	digest  string // what it must have, "sha256:…", "sha512:…" or "sha1:…"; "" when that is not known
	limit   int64  // bytes
	origin  string // host on whose behalf it is asked for; "" means the address's own
	total   *total // counts it, too; nil for none
	// look, if there, sees the first bytes before any other is read. Its error is that of the download.
	look func(contentType string, head []byte) error
}

// download is an artifact in a file: it came whole, and nothing of it was used yet.
type download struct {
	file        *os.File // at its beginning
	size        int64
	address     string // where it came from, after redirects
	contentType string
	sums        map[string]hash.Hash
	done        func()
}

// headSize is how many bytes tell what an artifact is.
const headSize = 512

// Read is that of the file.
func (d *download) Read(p []byte) (int, error) { return d.file.Read(p) }

// Close ends the download. What came from the web is removed.
func (d *download) Close() error {
	d.done()
	return nil
}

// digest gives the digest by an algorithm, "sha256" when none is named.
func (d *download) digest(algorithm string) string {
	algorithm = cmp.Or(algorithm, "sha256")
	return algorithm + ":" + hex.EncodeToString(d.sums[algorithm].Sum(nil))
}

// head is the beginning of the artifact.
func (d *download) head() []byte {
	head := make([]byte, headSize)
	n, _ := d.file.ReadAt(head, 0)
	return head[:n]
}

// newSums are the sums to take: SHA-256, by which a lock knows an artifact, and that of the digest.
func newSums(digest string) map[string]hash.Hash {
	sums := map[string]hash.Hash{"sha256": sha256.New()}
	switch algorithm, _, _ := strings.Cut(digest, ":"); algorithm {
	case "sha512":
		sums[algorithm] = sha512.New()
	case "sha1":
		sums[algorithm] = sha1.New()
	}
	return sums
}

// fill copies into the file, takes the sums, and goes back to the beginning.
func (d *download) fill(to io.Writer, from io.Reader) (err error) {
	for _, sum := range d.sums {
		to = io.MultiWriter(to, sum)
	}
	if d.size, err = io.Copy(to, from); err != nil {
		return err
	}
	_, err = d.file.Seek(0, io.SeekStart)
	return err
}

// download brings an artifact. One that breaks off is asked for again, twice at most.
func (c *Client) download(ctx context.Context, o order) (d *download, err error) {
	for range 3 {
		if d, err = c.downloadOnce(ctx, o); !broken(err) {
			break
		}
	}
	return d, err
}

func (c *Client) downloadOnce(ctx context.Context, o order) (*download, error) {
	resp, err := c.open(ctx, o.address, web.Options{Limit: o.limit}, o.origin)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	contentType := resp.Header.Get("Content-Type")
	in := bufio.NewReaderSize(o.total.counting(resp.Body), 32<<10)
	if o.look != nil {
		head, err := in.Peek(headSize)
		if err == nil || err == io.EOF {
			err = o.look(contentType, head)
		}
		if err != nil {
			return nil, err
		}
	}
	file, done, err := c.config.Store.Temporary()
	if err != nil {
		return nil, err
	}
	d := &download{file: file, contentType: contentType, sums: newSums(o.digest), done: done, address: shown(resp.Request.URL)}
	if err := d.fill(file, in); err != nil {
		done()
		return nil, err
	}
	return d, nil
}

// onDisk takes a file of this machine for a download.
func onDisk(name string, limit int64) (*download, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	d := &download{file: file, sums: newSums(""), done: func() { _ = file.Close() }}
	if info, err := file.Stat(); err == nil && info.Size() > limit {
		d.done()
		return nil, &Error{Kind: TooLarge, Message: fmt.Sprintf("%q is larger than %d bytes", name, limit), Hint: limitHint("bytes")}
	}
	if err := d.fill(io.Discard, file); err != nil {
		d.done()
		return nil, err
	}
	return d, nil
}

// check compares an artifact with the digest that it must have, if one is known. A page in its place is told as what it is. Where those who
// serve it say the digest as well, and that is who, they contradict themselves; else a lock says it.
func (d *download) check(what, host, want, who string) error {
	algorithm, _, _ := strings.Cut(want, ":")
	if want == "" || d.sums[algorithm] != nil && d.digest(algorithm) == want {
		return nil
	}
	if archive.IsHTML(d.head()) {
		return &Error{Kind: WrongContent, Host: host, Message: what + " is a web page, perhaps one that asks to sign in"}
	}
	got := d.digest("")
	if d.sums[algorithm] != nil {
		got = d.digest(algorithm)
	}
	e := &Error{Kind: Integrity, Host: host, Message: fmt.Sprintf("%s has the digest %s, expected %s as %s says", what, got, want, cmp.Or(who, "the lock")),
		Hint: "nothing of it was unpacked; if the change is wanted, update or add it again"}
	if who != "" {
		e.Hint = "nothing of it was unpacked; " + who + " says otherwise, which only who keeps it can mend"
	}
	return e
}

// shown is an address as it is told and kept: what stands in its query may open it to anybody.
func shown(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }

// open asks for an address on behalf of the host that was named for it. Where that is another one, the address gets no credential, and may not
// be a host that was configured, unless the other one is, too.
func (c *Client) open(ctx context.Context, address string, o web.Options, origin string) (*http.Response, error) {
	if c.config.Offline {
		return nil, errOffline
	}
	if origin != "" {
		ctx = web.From(ctx, origin)
	}
	return c.web.Get(ctx, address, o)
}

// read brings a small artifact into memory, with where it came from after redirects. Broken answers are asked for again.
func (c *Client) read(ctx context.Context, address string, o web.Options, origin string) (data []byte, from string, err error) {
	for range 3 {
		var resp *http.Response
		if resp, err = c.open(ctx, address, o, origin); err != nil {
			return nil, "", err
		}
		data, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if !broken(err) {
			return data, shown(resp.Request.URL), err
		}
	}
	return nil, "", err
}

// shared tells hosts of the built-in table, with their services: any host may lead to them.
func (c *Client) shared(host string) bool {
	row, ok := source.DefaultHosts().Exact(c.owner(host))
	return ok && slices.Contains([]string{row.Name, web.HostOf(row.API), web.HostOf(row.Raw), web.HostOf(row.Archive)}, host)
}
