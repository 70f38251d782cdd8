package gitwire

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// packetKind tells data from the three marks of the protocol (gitprotocol-v2(5), "Packet-Line Framing").
type packetKind int

const (
	dataPacket packetKind = iota
	flushPacket
	delimiterPacket
	endPacket
)

// maxPacket is the greatest length of a packet, its four digits included.
const maxPacket = 65520

// packets reads packet lines. go-git's reader knows no delimiter packets, which version 2 needs.
type packets struct {
	in     *bufio.Reader
	buffer []byte
}

func newPackets(in io.Reader) *packets {
	return &packets{in: bufio.NewReaderSize(in, 32<<10)}
}

// next returns the next packet; its data is good until the next call. The end of the stream between two packets is io.EOF,
// within one io.ErrUnexpectedEOF. A line that begins with "ERR " is a *RefusedError.
func (p *packets) next() (packetKind, []byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(p.in, head[:]); err != nil {
		return 0, nil, err
	}
	size, err := strconv.ParseUint(string(head[:]), 16, 16)
	switch {
	case err != nil || size == 3 || size > maxPacket:
		return 0, nil, fmt.Errorf("%w: a packet begins with %q", ErrProtocol, head)
	case size < 3:
		return []packetKind{flushPacket, delimiterPacket, endPacket}[size], nil, nil
	}
	if p.buffer == nil {
		p.buffer = make([]byte, maxPacket)
	}
	data := p.buffer[:size-4]
	if _, err := io.ReadFull(p.in, data); err == io.EOF {
		return 0, nil, io.ErrUnexpectedEOF
	} else if err != nil {
		return 0, nil, err
	}
	if text, ok := strings.CutPrefix(string(data[:min(len(data), 512)]), "ERR "); ok {
		return 0, nil, &RefusedError{Text: strings.TrimSpace(text)}
	}
	return dataPacket, data, nil
}

// line returns a data packet as text, without its line end. Any mark ends a section: ok is false.
func (p *packets) line() (text string, mark packetKind, err error) {
	kind, data, err := p.next()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return strings.TrimSuffix(string(data), "\n"), kind, err
}

// appendLine adds one data packet.
func appendLine(b []byte, text string) []byte {
	return fmt.Appendf(b, "%04x%s\n", len(text)+5, text)
}
