package archive

import (
	"bytes"
	"mime"
	"path"
	"strconv"
	"strings"
)

// Format is a kind of archive.
type Format string

// The formats that are read.
const (
	Tar     Format = "tar"
	TarGzip Format = "tar.gz"
	Zip     Format = "zip"
)

// sniffed is how many bytes Sniff wants: one header of a tar.
const sniffed = 512

// Sniff tells the format by the first 512 bytes. The media type and the name, which may be
// "", only make the error better: of code WrongContent for a page, text or nothing at all,
// and Unsupported for archives of another kind.
func Sniff(contentType, name string, head []byte) (Format, error) {
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return TarGzip, nil
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return Zip, nil
	case isTar(head):
		return Tar, nil
	}
	return "", notAnArchive(contentType, name, head)
}

func notAnArchive(contentType, name string, head []byte) *Error {
	if other := otherFormat(head); other != "" {
		return &Error{Code: Unsupported, Text: "is in the format " + other + "; tar, tar.gz and zip are read"}
	}
	media, _, _ := mime.ParseMediaType(contentType)
	text := "is none: its first bytes are no tar, gzip or zip"
	switch {
	case len(head) == 0:
		text = "is empty"
	case IsHTML(head) || media == "text/html":
		text = "is a web page, perhaps one that asks to sign in"
	case media != "":
		text += ", the server calls it " + media[:min(len(media), 100)]
	case path.Ext(name) != "":
		text += ", whatever " + strconv.Quote(path.Base(name)) + " says"
	}
	return &Error{Code: WrongContent, Text: text}
}

// IsHTML tells whether a document begins as a web page does.
func IsHTML(head []byte) bool {
	start := strings.ToLower(string(head[:min(len(head), sniffed)]))
	start = strings.TrimLeft(strings.TrimPrefix(start, "\xef\xbb\xbf"), " \t\r\n")
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<body"} {
		if strings.HasPrefix(start, tag) {
			return true
		}
	}
	return false
}

func otherFormat(head []byte) string {
	for magic, format := range map[string]string{
		"BZh": "bzip2", "\xfd7zXZ\x00": "xz", "\x28\xb5\x2f\xfd": "zstd", "7z\xbc\xaf\x27\x1c": "7z", "Rar!": "rar",
	} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return format
		}
	}
	return ""
}

// isTar checks the sum of a header (POSIX ustar: bytes 148 to 155 count as blanks), which
// also finds archives without the word "ustar", or two blocks of zeros: an empty archive.
func isTar(head []byte) bool {
	if len(head) < sniffed {
		return false
	}
	if len(bytes.TrimLeft(head, "\x00")) == 0 {
		return true
	}
	field := strings.Trim(string(head[148:156]), " \x00")
	want, err := strconv.ParseInt(field, 8, 32)
	if err != nil {
		return false
	}
	var sum int64
	for i, b := range head[:sniffed] {
		if i >= 148 && i < 156 {
			b = ' '
		}
		sum += int64(b)
	}
	return sum == want
}
