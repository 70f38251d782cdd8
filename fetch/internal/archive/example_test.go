package archive_test

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"

	"skills/fetch/internal/archive"
)

func ExampleRead() {
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	w.WriteHeader(&tar.Header{Name: "skills-main/pdf/SKILL.md", Typeflag: tar.TypeReg, Mode: 0o664, Size: 6})
	io.WriteString(w, "# PDF\n")
	w.Close()

	info, err := archive.Read(context.Background(), &packed, archive.Options{Strip: true}, func(e archive.Entry, r io.Reader) error {
		data, err := io.ReadAll(r)
		fmt.Printf("%s %q\n", e.Path, data)
		return err
	})
	fmt.Println(info.Top, info.Complete, err)
	// Output:
	// pdf/SKILL.md "# PDF\n"
	// skills-main true <nil>
}

func ExampleSniff() {
	_, err := archive.Sniff("text/html", "pack.zip", []byte("<!doctype html><title>Sign in</title>"))
	fmt.Println(err)
	// Output: the archive is a web page, perhaps one that asks to sign in
}
