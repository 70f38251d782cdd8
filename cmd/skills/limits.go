package main

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"skills/fetch"
)

// limits are the bounds of the configuration: what one source may bring. What is not given has the library's value.
type limits struct {
	Download size     // what is sent
	Unpacked size     // what that is when it is unpacked
	File     size     // one file of it
	Files    int      // files, directories and commits of it
	Depth    int      // parts of a path
	Ratio    int64    // bytes out of one that is sent
	Time     duration // for one request with its answer
}

// bounds are what the library takes.
func (l limits) bounds() fetch.Limits {
	return fetch.Limits{
		Bytes: int64(l.Download), Unpacked: int64(l.Unpacked), Object: int64(l.File), Objects: l.Files, Depth: l.Depth, Ratio: l.Ratio,
	}
}

// fault is what cannot be meant.
func (l limits) fault(given func(...string) bool) string {
	for _, bound := range []struct {
		key   string
		value int64
	}{
		{"download", int64(l.Download)}, {"unpacked", int64(l.Unpacked)}, {"file", int64(l.File)}, {"files", int64(l.Files)},
		{"depth", int64(l.Depth)}, {"ratio", l.Ratio}, {"time", int64(l.Time)},
	} {
		if given("limits", bound.key) && bound.value <= 0 {
			return fmt.Sprintf("limits.%s must be more than nothing", bound.key)
		}
	}
	return ""
}

// duration is a length of time.
type duration time.Duration

// UnmarshalText reads "90s" or "1h30m".
func (d *duration) UnmarshalText(text []byte) error {
	length, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("a time is a text such as \"30m\", not %q", text)
	}
	*d = duration(length)
	return nil
}

// size is a number of bytes: a number, or a text with a unit.
type size int64

var sizePattern = regexp.MustCompile(`^(\d{1,12}) ?(|[kKMG]i?)B?$`)

// UnmarshalText reads "100MB" (millions) and "100 MiB" (of 1024 times 1024).
func (s *size) UnmarshalText(text []byte) error {
	found := sizePattern.FindSubmatch(text)
	if found == nil {
		return fmt.Errorf("a size is a number of bytes, or a text such as \"100MB\", not %q", text)
	}
	n, err := strconv.ParseInt(string(found[1]), 10, 64)
	factor := map[string]int64{
		"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "ki": 1 << 10, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30,
	}[string(found[2])]
	if n > (1<<62)/factor {
		return fmt.Errorf("the size %q is too large", text)
	}
	*s = size(n * factor)
	return err
}
