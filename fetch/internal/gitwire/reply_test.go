package gitwire

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

const (
	one = "1111111111111111111111111111111111111111"
	two = "2222222222222222222222222222222222222222"
)

func packet(text string) string { return string(appendLine(nil, text)) }

func TestRefsAreReadAsTheProtocolWritesThem(t *testing.T) {
	for name, test := range map[string]struct {
		in   string
		want []Ref
		err  error
	}{
		"one":           {packet(one+" refs/heads/main") + "0000", []Ref{{Name: "refs/heads/main", ID: one}}, nil},
		"attributes":    {packet(one+" HEAD symref-target:refs/heads/main peeled:"+two+" other:x") + "0000", []Ref{{Name: "HEAD", ID: one, Target: "refs/heads/main", Peeled: two}}, nil},
		"unborn":        {packet("unborn HEAD symref-target:refs/heads/main") + "0000", []Ref{{Name: "HEAD", Target: "refs/heads/main"}}, nil},
		"none":          {"0000", nil, nil},
		"no line end":   {"0031" + one + " HEAD" + "0000", []Ref{{Name: "HEAD", ID: one}}, nil},
		"nothing":       {"", nil, errEmpty},
		"no flush":      {packet(one + " HEAD"), nil, io.ErrUnexpectedEOF},
		"half a length": {"00", nil, io.ErrUnexpectedEOF},
		"half a packet": {"0032" + one, nil, io.ErrUnexpectedEOF},
		"no length":     {"<htm", nil, ErrProtocol},
		"length 3":      {"0003", nil, ErrProtocol},
		"length ffff":   {"ffff", nil, ErrProtocol},
		"no name":       {packet(one) + "0000", nil, ErrProtocol},
		"no id":         {packet("x HEAD") + "0000", nil, ErrProtocol},
		"id too short":  {packet(one[1:]+" HEAD") + "0000", nil, ErrProtocol},
	} {
		refs, err := ReadRefs(strings.NewReader(test.in))
		if !errors.Is(err, test.err) || !slices.Equal(refs, test.want) {
			t.Errorf("%s: %+v, %v; want %+v, %v", name, refs, err, test.want, test.err)
		}
	}
	_, err := ReadRefs(strings.NewReader("0010ERR go away\n"))
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Text != "go away" {
		t.Errorf("ERR: %v", err)
	}
}

func TestCapabilitiesAreReadAsServersWriteThem(t *testing.T) {
	version2 := packet("version 2") + packet("agent=git/2.39.5") + packet("ls-refs=unborn") +
		packet("fetch=shallow wait-for-done filter") + packet("server-option") + packet("object-format=sha256") + "0000"
	for name, test := range map[string]struct {
		in   string
		want Capabilities
		err  error
	}{
		"with a service line":    {packet("# service=git-upload-pack") + "0000" + version2, Capabilities{true, "sha256"}, nil},
		"without":                {version2, Capabilities{true, "sha256"}, nil},
		"no filter":              {packet("version 2") + packet("fetch=shallow filters") + "0000", Capabilities{false, "sha1"}, nil},
		"version 1":              {packet("# service=git-upload-pack") + "0000" + packet("version 1") + "0000", Capabilities{}, ErrOldProtocol},
		"version 0":              {packet("# service=git-upload-pack") + "0000" + packet(one+" HEAD\x00multi_ack") + "0000", Capabilities{}, ErrOldProtocol},
		"nothing":                {"", Capabilities{}, io.ErrUnexpectedEOF},
		"nothing but a flush":    {"0000", Capabilities{}, ErrOldProtocol},
		"cut":                    {packet("version 2"), Capabilities{ObjectFormat: "sha1"}, io.ErrUnexpectedEOF},
		"nothing after its line": {packet("# service=git-upload-pack") + "0000", Capabilities{}, io.ErrUnexpectedEOF},
	} {
		got, err := ReadCapabilities(strings.NewReader(test.in))
		if !errors.Is(err, test.err) || got != test.want {
			t.Errorf("%s: %+v, %v; want %+v, %v", name, got, err, test.want, test.err)
		}
	}
}

func band(n byte, data string) string {
	b := appendLine(nil, string(n)+data)
	return strings.TrimSuffix("00"+string(hex(len(b)-1))+string(b[4:]), "\n")
}

func hex(n int) []byte {
	const digits = "0123456789abcdef"
	return []byte{digits[n>>4&15], digits[n&15]}
}

func TestPackIsTheFirstBandBehindItsSection(t *testing.T) {
	shallow := packet("shallow-info") + packet("shallow "+one) + "0001"
	for name, test := range map[string]struct {
		in, want string
		err      error
	}{
		"plain":               {packet("packfile") + band(1, "PACK") + band(1, "more") + "0000", "PACKmore", nil},
		"behind shallow-info": {shallow + packet("packfile") + band(1, "PACK") + "0000", "PACK", nil},
		"with progress":       {packet("packfile") + band(2, "10%") + band(1, "PACK") + band(2, "done") + "0000", "PACK", nil},
		"empty data":          {packet("packfile") + band(1, "") + band(1, "PACK") + "0000", "PACK", nil},
		"nothing":             {"", "", errEmpty},
		"no pack":             {shallow + "0000", "", ErrProtocol},
		"cut before it":       {shallow, "", io.ErrUnexpectedEOF},
		"cut in it":           {packet("packfile") + band(1, "PACK"), "PACK", io.ErrUnexpectedEOF},
		"cut in a packet":     {packet("packfile") + "0010\x01PA", "", io.ErrUnexpectedEOF},
		"no band":             {packet("packfile") + "0004" + "0000", "", ErrProtocol},
		"band 4":              {packet("packfile") + band(4, "x") + "0000", "", ErrProtocol},
	} {
		var data []byte
		p, err := ReadPack(io.NopCloser(strings.NewReader(test.in)))
		if err == nil {
			data, err = io.ReadAll(p)
			p.Close()
		}
		if !errors.Is(err, test.err) || string(data) != test.want {
			t.Errorf("%s: %q, %v; want %q, %v", name, data, err, test.want, test.err)
		}
	}
	p, err := ReadPack(io.NopCloser(strings.NewReader(packet("packfile") + band(1, "PA") + band(3, "the disk is full"))))
	if err == nil {
		_, err = io.ReadAll(p)
	}
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Text != "the disk is full" {
		t.Errorf("band 3: %v", err)
	}
}

func TestWordsOfAServerAreQuotedAndShort(t *testing.T) {
	long := "\x1b[31m" + strings.Repeat("x", 5000)
	_, err := ReadRefs(strings.NewReader(packet("ERR " + long)))
	if text := err.Error(); len(text) > 700 || strings.Contains(text, "\x1b") {
		t.Errorf("error %q", text)
	}
}

// FuzzReply: no answer makes the readers do anything but return, and what they return is what the protocol allows.
func FuzzReply(f *testing.F) {
	f.Add(packet(one+" HEAD symref-target:refs/heads/main") + packet("unborn x") + "0000")
	f.Add(packet("# service=git-upload-pack") + "0000" + packet("version 2") + packet("fetch=filter") + "0000")
	f.Add(packet("shallow-info") + "0001" + packet("packfile") + band(1, "PACK") + band(2, "x") + band(3, "y") + "0000")
	f.Add("0010ERR go away\n0002")
	f.Fuzz(func(t *testing.T, in string) {
		if refs, err := ReadRefs(strings.NewReader(in)); err == nil {
			for _, r := range refs {
				if r.Name == "" || strings.Contains(r.Name, " ") || r.ID != "" && !isID(r.ID) || r.Commit() != "" && !isID(r.Commit()) {
					t.Errorf("ref %+v", r)
				}
			}
		}
		if _, err := ReadCapabilities(strings.NewReader(in)); err == io.EOF {
			t.Error("the end of a listing that is cut")
		}
		p, err := ReadPack(io.NopCloser(strings.NewReader(in)))
		if err != nil {
			return
		}
		if data, err := io.ReadAll(p); err == nil && len(data) > len(in) {
			t.Errorf("%d bytes out of %d", len(data), len(in))
		}
	})
}
