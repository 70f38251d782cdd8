package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"skills/fetch"
	"skills/source"
)

// nearby adds to an error about one source that its text is a directory here as well, which a text without "./" does not mean.
func (s *session) nearby(err error, texts ...string) error {
	var unread *source.Error
	var unfetched *fetch.Error
	if len(texts) != 1 || !errors.As(err, &unread) && !errors.As(err, &unfetched) {
		return err
	}
	text := texts[0]
	if !filepath.IsLocal(text) || strings.HasPrefix(text, ".") {
		return err
	}
	info, missing := os.Stat(filepath.Join(s.env.dir, filepath.FromSlash(text)))
	if missing != nil || !info.IsDir() {
		return err
	}
	return &hinted{err, append([]string{fmt.Sprintf("there is a directory here: ./%s", text)}, hintsOf(err)...)}
}
