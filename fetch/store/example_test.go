package store_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"skills/fetch/store"
)

func Example() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	r, err := s.Repository("example.com/pack.tar.gz")
	if err != nil {
		log.Fatal(err)
	}

	w, err := r.NewWriter(context.Background(), store.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort()
	text := "hello\n"
	if _, err := w.File("greetings/hello.txt", store.ModeFile, int64(len(text)), strings.NewReader(text)); err != nil {
		log.Fatal(err)
	}
	root, stats, err := w.Finish()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(root, stats.Objects)

	entries, err := r.Tree(root)
	if err != nil {
		log.Fatal(err)
	}
	entries, err = r.Tree(entries[0].ID)
	if err != nil {
		log.Fatal(err)
	}
	in, err := r.Open(entries[0].ID)
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %o %s", entries[0].Name, entries[0].Mode, data)
	// Output:
	// 075ac92b9eac6766f7d5e744240921a7b8ece1e3 3
	// hello.txt 100644 hello
}

func ExampleStore_Facts() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := s.Remember("git github.com", "filter", "yes"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Facts("git github.com")["filter"])
	// Output: yes
}
