package source

import "strings"

// local reads a path on this machine; it stays as written but for slashes at its end. Archives are told by their
// suffix; a slash behind it makes it a directory.
func (r reader) local(text string) (Locator, error) {
	if drivePattern.MatchString(text) && !r.windows {
		return Locator{}, r.fail("invalid-source", "is a path on Windows", "on this system a path begins with /, ./ or ~/")
	}
	separators := "/"
	if r.windows {
		separators = `/\`
	}
	l := Locator{Kind: Local, Path: trimPath(text, separators)}
	i := strings.LastIndexAny(l.Path, separators) + 1
	name := l.Path[i:]
	if _, archive := archiveName(name); archive {
		l.Kind = Archive
	} else if isManifest(name) && i > 0 {
		l.File, l.Notes, l.Path = true, manifestNotes(name), trimPath(l.Path[:i], separators)
	}
	return l, nil
}

// trimPath cuts separators off the end of a path, but for a root and where one tells that a name is a directory's or keeps the
// blank at its end.
func trimPath(text, separators string) string {
	path := strings.TrimRight(text, separators)
	if path == "" || len(path) == 2 && drivePattern.MatchString(text) {
		return text[:len(path)+1]
	}
	name := path[strings.LastIndexAny(path, separators)+1:]
	_, archive := archiveName(name)
	if path != strings.TrimSpace(path) || len(path) < len(text) && (archive || isManifest(name)) {
		return path + "/"
	}
	return path
}

// fileURL reads what follows file://. Only this machine's files can be meant.
func (r reader) fileURL(rest string) (Locator, error) {
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	host, path, found := strings.Cut(rest, "/")
	if !found || host != "" && !strings.EqualFold(host, "localhost") {
		return Locator{}, r.fail("bad-url", "names a file on another machine", "write file:///directory")
	}
	path, err := r.unescape("/" + path)
	if err != nil {
		return Locator{}, err
	}
	if err := r.checkChars(path); err != nil {
		return Locator{}, err
	}
	if drivePattern.MatchString(path[1:]) && r.windows {
		path = path[1:]
	}
	return r.local(path)
}
