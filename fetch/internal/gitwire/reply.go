package gitwire

import (
	"fmt"
	"io"
	"strings"
)

// Ref is one line of a listing.
type Ref struct {
	Name   string // "HEAD", "refs/heads/main", …
	ID     string // hexadecimal; "" for a HEAD whose branch has no commit yet
	Target string // of a symbolic ref: the ref it stands for
	Peeled string // of an annotated tag: the object it names at last
}

// Commit is the id that the ref leads to, tags followed.
func (r Ref) Commit() string {
	if r.Peeled != "" {
		return r.Peeled
	}
	return r.ID
}

// ReadRefs reads the answer to ls-refs (gitprotocol-v2(5)): one line a ref, then a flush packet.
func ReadRefs(in io.Reader) ([]Ref, error) {
	p := newPackets(in)
	var refs []Ref
	for first := true; ; first = false {
		kind, data, err := p.next()
		if err == io.EOF && first {
			return nil, errEmpty
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		if kind != dataPacket {
			return refs, nil
		}
		ref, err := parseRef(strings.TrimSuffix(string(data), "\n"))
		if err != nil {
			return nil, err
		}
		refs = append(refs, ref)
	}
}

func parseRef(line string) (Ref, error) {
	id, rest, ok := strings.Cut(line, " ")
	name, attributes, _ := strings.Cut(rest, " ")
	if !ok || name == "" || id != "unborn" && !isID(id) {
		return Ref{}, fmt.Errorf("%w: a ref reads %.80q", ErrProtocol, line)
	}
	if id == "unborn" {
		id = ""
	}
	ref := Ref{Name: name, ID: id}
	for _, a := range strings.Fields(attributes) {
		if target, ok := strings.CutPrefix(a, "symref-target:"); ok {
			ref.Target = target
		}
		if peeled, ok := strings.CutPrefix(a, "peeled:"); ok && isID(peeled) {
			ref.Peeled = peeled
		}
	}
	return ref, nil
}

func isID(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}

// Capabilities are what a server says of itself.
type Capabilities struct {
	Filter       bool   // fetch takes filters, of one kind or another
	ObjectFormat string // "sha1" or "sha256"
}

// ReadCapabilities reads what a server says of itself before all else, over HTTPS in answer to info/refs. A server that begins
// with refs in place of "version 2" speaks an older protocol: ErrOldProtocol.
func ReadCapabilities(in io.Reader) (Capabilities, error) {
	p := newPackets(in)
	line, mark, err := p.line()
	if err == nil && strings.HasPrefix(line, "# service=") {
		if _, mark, err = p.line(); err == nil && mark == flushPacket {
			line, mark, err = p.line()
		}
	}
	if err != nil {
		return Capabilities{}, err
	}
	if mark != dataPacket || line != "version 2" {
		return Capabilities{}, ErrOldProtocol
	}
	known := Capabilities{ObjectFormat: "sha1"}
	for {
		line, mark, err = p.line()
		if err != nil || mark != dataPacket {
			return known, err
		}
		name, value, _ := strings.Cut(line, "=")
		switch name {
		case "fetch":
			known.Filter = strings.Contains(" "+value+" ", " filter ")
		case "object-format":
			known.ObjectFormat = value
		}
	}
}

// pack is the pack within the answer to fetch: it skips the sections before (shallow-info and the like), then takes the
// data of band 1 and drops the progress of band 2; band 3 is the server giving up.
type pack struct {
	packets *packets
	body    io.Closer
	rest    []byte
	err     error
}

// ReadPack reads the answer to fetch up to the pack, and gives the pack as a stream whose Close is the body's; the stream ends
// only behind the flush packet that ends the answer. What the server refuses is a *RefusedError, here or in the stream.
func ReadPack(body io.ReadCloser) (io.ReadCloser, error) {
	p := newPackets(body)
	kind, data, err := p.next()
	if err == io.EOF {
		return nil, errEmpty
	}
	for err == nil {
		if kind == flushPacket || kind == endPacket {
			return nil, fmt.Errorf("%w: there is no pack in it", ErrProtocol)
		}
		if string(data) == "packfile\n" {
			return &pack{packets: p, body: body}, nil
		}
		kind, data, err = p.next()
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return nil, err
}

// Read returns bytes of the pack. An answer that ends without its flush packet is io.ErrUnexpectedEOF.
func (p *pack) Read(b []byte) (int, error) {
	for len(p.rest) == 0 && p.err == nil {
		p.rest, p.err = p.data()
	}
	if len(p.rest) == 0 {
		return 0, p.err
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// data returns the data of the next packet, which may be none.
func (p *pack) data() ([]byte, error) {
	kind, data, err := p.packets.next()
	switch {
	case err == io.EOF:
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	case kind != dataPacket:
		return nil, io.EOF
	case len(data) == 0:
		return nil, fmt.Errorf("%w: a packet of no band", ErrProtocol)
	}
	switch data[0] {
	case 1:
		return data[1:], nil
	case 2:
		return nil, nil
	case 3:
		return nil, &RefusedError{Text: strings.TrimSpace(string(data[1:min(len(data), 512)]))}
	}
	return nil, fmt.Errorf("%w: band %d", ErrProtocol, data[0])
}

// Close ends the transfer, read to its end or not.
func (p *pack) Close() error { return p.body.Close() }
