package resource

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"skills/catalog"
)

func TestNewBundle(t *testing.T) {
	for _, c := range []struct {
		id    string
		files map[string]any
		json  string // of the bundle
		kind  string // of the error
		rel   string
	}{
		{"S2-21", map[string]any{"./scripts/b.py": "x\r\n", "assets/l.png": nil, "a.md": "a"},
			`{"a.md":"a","assets/l.png":null,"scripts/b.py":"x\n"}`, "", ""},
		{"S2-21 nothing", nil, `{}`, "", ""},
		{"S2-21 empty", map[string]any{}, `{}`, "", ""},
		{"S2-21 twice", map[string]any{"a.md": "a", "./a.md": "b"}, "", "invalid_input", "a.md"},
		{"S2-21 manifest", map[string]any{"./SKILL.md": "x"}, "", "invalid_input", "./SKILL.md"},
		{"S2-21 manifest in another case", map[string]any{"skill.md": nil}, "", "invalid_input", "skill.md"},
		{"S2-21 manifest below", map[string]any{"sub/SKILL.md": "x"}, `{"sub/SKILL.md":"x"}`, "", ""},
		{"S2-21 number", map[string]any{"a.md": 42}, "", "invalid_input", "a.md"},
		{"S2-21 list", map[string]any{"a.md": []any{"x"}}, "", "invalid_input", "a.md"},
		{"S2-21 up", map[string]any{"../e.md": "x"}, "", "path_escape", "../e.md"},
		{"S2-21 absolute", map[string]any{"/e.md": "x"}, "", "invalid_input", "/e.md"},
		{"S2-21 first by bytes", map[string]any{"b": 1, "a:": "x", "c": 2}, "", "invalid_input", "a:"},
		{"S2-21 blanks", map[string]any{" F.md ": "x"}, `{"F.md":"x"}`, "", ""},
		{"S2-21 line ends", map[string]any{"a": "\ufeffa\r\nb\rc\n\r\n"}, `{"a":"a\nb\nc\n\n"}`, "", ""},
		{"S2-34 NUL", map[string]any{"a.bin": "a\x00b"}, `{"a.bin":null}`, "", ""},
		{"S2-34 not UTF-8", map[string]any{"a.bin": "a\xff"}, `{"a.bin":null}`, "", ""},
		{"S2-34 empty text", map[string]any{"a": ""}, `{"a":""}`, "", ""},
		{"S2-2 path of 513", map[string]any{strings.Repeat("p", 513): "x"}, "", "too_long", strings.Repeat("p", 513)},
		{"S2-2 file of 500,001", map[string]any{"a": strings.Repeat("é", 500_001)}, "", "too_long", "a"},
	} {
		t.Run(c.id, func(t *testing.T) {
			b, err := NewBundle(c.files)
			want(t, err, c.kind, c.rel)
			if err != nil {
				if b != nil {
					t.Errorf("there is a bundle with the error: %v", b)
				}
				return
			}
			got, err := json.Marshal(b)
			if err != nil || string(got) != c.json {
				t.Errorf("bundle is %s, %v, want %s", got, err, c.json)
			}
		})
	}
}

func files(n int, text string) map[string]any {
	all := map[string]any{}
	for i := range n {
		all[fmt.Sprintf("f%03d", i)] = text
	}
	return all
}

func TestBundleAtItsBounds(t *testing.T) {
	b, err := NewBundle(files(100, "x"))
	if err != nil || len(b) != 100 || b.Paths()[99] != "f099" {
		t.Errorf("S2-2: 100 files give %d, %v", len(b), err)
	}
	_, err = NewBundle(files(101, "x"))
	want(t, err, "too_large", "f100")
	// In characters, after line ends were made one.
	long := strings.Repeat("é", 400_000) + strings.Repeat("\r\n", 100_000)
	if b, err = NewBundle(map[string]any{"a": long, strings.Repeat("p", 512): nil}); err != nil || len(*b["a"]) != 900_000 {
		t.Errorf("S2-2: 500,000 characters are refused: %v", err)
	}
}

func TestBundleFromJSON(t *testing.T) {
	for _, c := range []struct{ id, in, paths, kind, rel string }{
		{"S2-21 object", `{"./b/c": "x\r\n", "a": null}`, "a b/c", "", ""},
		{"S2-21 null", `null`, "", "", ""},
		{"S2-21 a key twice", `{"a": "x", "a": "y"}`, "", "invalid_input", "a"},
		{"S2-21 list", `["a"]`, "", "invalid_input", ""},
		{"S2-21 text", `"a"`, "", "invalid_input", ""},
		{"S2-21 number", `{"a": 42}`, "", "invalid_input", "a"},
		{"S2-21 nested", `{"a": {"b": "c"}}`, "", "invalid_input", "a"},
		{"S2-34 NUL", `{"a": "x\u0000"}`, "a", "", ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			var b Bundle
			err := json.Unmarshal([]byte(c.in), &b)
			want(t, err, c.kind, c.rel)
			if err == nil && strings.Join(b.Paths(), " ") != c.paths {
				t.Errorf("paths are %v, want %s", b.Paths(), c.paths)
			}
		})
	}
	for _, in := range []string{``, `{"a": `, `{"a" 1}`, `{"a": "x" "b"}`, `x`} {
		if err := new(Bundle).UnmarshalJSON([]byte(in)); err == nil {
			t.Errorf("%s is read", in)
		}
	}
}

// FuzzBundle: what is read is written so that it is read again as the same.
func FuzzBundle(f *testing.F) {
	f.Add([]byte(`{"./a": "x\r\n", "b/c": null}`))
	f.Add([]byte(`{"a": "\ufeff\ufeffx"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var b, again Bundle
		if json.Unmarshal(data, &b) != nil {
			return
		}
		text, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &again); err != nil || !slices.Equal(b.Paths(), again.Paths()) {
			t.Fatalf("%s is read again as %v, %v", text, again.Paths(), err)
		}
		for path, text := range b {
			if (text == nil) != (again[path] == nil) || text != nil && *text != *again[path] {
				t.Errorf("%q changes when it is read again", path)
			}
		}
	})
}

func pack(t *testing.T, files fstest.MapFS) (Bundle, []catalog.Finding) {
	t.Helper()
	resources, _ := list(t, files, "s", Options{FollowLinks: true, Limits: Limits{Directory: 5000}})
	b, findings, err := Pack(files, "s", resources)
	if err != nil {
		t.Fatal(err)
	}
	return b, findings
}

func TestPack(t *testing.T) {
	b, findings := pack(t, fstest.MapFS{
		"s/SKILL.md": file("m"), "s/skill.md": file("second"), "s/a.md": file("a\r\nb"), "s/l.png": file("\x89PNG\x00"), "s/latin1": file("caf\xe9"),
		"s/long": file(strings.Repeat("x", 500_001)), "s/large": file(strings.Repeat("x", 2_000_001)), "s/in": link("a.md"),
	})
	got, err := json.Marshal(b)
	t.Run("S2-34 C-25", func(t *testing.T) {
		if want := `{"a.md":"a\nb","in":"a\nb","l.png":null,"large":null,"latin1":null,"long":null}`; string(got) != want || err != nil {
			t.Errorf("bundle is %s, %v, want %s", got, err, want)
		}
	})
	t.Run("S2-33 too large", func(t *testing.T) {
		said := ""
		for _, f := range findings {
			said += f.Code + " " + f.File + "; "
		}
		if said != "too_long s/large; too_long s/long; limit s/skill.md; " {
			t.Errorf("findings are %s", said)
		}
	})
}

func TestPackOfMany(t *testing.T) {
	many := fstest.MapFS{}
	for i := range 110 {
		many[fmt.Sprintf("s/f%03d", i)] = file("x")
	}
	t.Run("S2-33 110 files", func(t *testing.T) {
		b, findings := pack(t, many)
		if len(b) != 100 || strings.Join(codes(findings), " ") != "limit" || b["f099"] == nil {
			t.Errorf("%d files, %v", len(b), findings)
		}
	})
	heavy := fstest.MapFS{}
	for i := range 30 {
		heavy[fmt.Sprintf("s/f%02d", i)] = file(strings.Repeat("x", 400_000))
	}
	t.Run("S2-33 10,000,000 bytes", func(t *testing.T) {
		b, findings := pack(t, heavy)
		whole := 0
		for _, text := range b {
			if text != nil {
				whole++
			}
		}
		if len(b) != 30 || whole != 25 || len(findings) != 5 {
			t.Errorf("%d of %d files have contents; %v", whole, len(b), findings)
		}
	})
}

func TestPackOfWhatIsGone(t *testing.T) {
	resources, _ := list(t, fstest.MapFS{"s/f": file("x")}, "s", Options{})
	_, _, err := Pack(fstest.MapFS{"s": {Mode: fs.ModeDir}}, "s", resources)
	want(t, err, "not_found", "f")
	_, _, err = Pack(readFails{fstest.MapFS{"s/f": file("x")}}, "s", resources)
	var e *catalog.Error
	if !errors.As(err, &e) || e.Kind != "io_error" {
		t.Errorf("error is %v", err)
	}
}
