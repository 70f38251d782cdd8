package ui

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDocumentStartsWithTheVersion(t *testing.T) {
	type finding struct {
		Code string  `json:"code"`
		File *string `json:"file"`
	}
	for _, test := range []struct {
		name  string
		value any
		want  string
	}{
		{"empty", struct{}{}, "{\n  \"version\": 1\n}\n"},
		{"empty map", map[string]any{}, "{\n  \"version\": 1\n}\n"},
		{"keys in their order", struct {
			Skills   []string  `json:"skills"`
			Findings []finding `json:"findings"`
		}{[]string{}, []finding{{"a", nil}}}, `{
  "version": 1,
  "skills": [],
  "findings": [
    {
      "code": "a",
      "file": null
    }
  ]
}
`},
		{"text as it is", map[string]string{"description": "a <b> & \"c\" 代码 é 😀 \\ / \t"}, `{
  "version": 1,
  "description": "a <b> & \"c\" 代码 é 😀 \\ / \t"
}
`},
		{"what a terminal obeys or hides", map[string]string{"\u202ename": "\x1b[31m \u009b \u200b \x7f \U000e0041 \u2028"}, `{
  "version": 1,
  "\u202ename": "\u001b[31m \u009b \u200b \u007f \udb40\udc41 \u2028"
}
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScreen("", func(c *Config) { c.JSON = true })
			if err := s.Document(test.value); err != nil {
				t.Fatal(err)
			}
			s.expect(t, test.want, "")
		})
	}
}

func TestDocumentIsTheSameTextForEveryReader(t *testing.T) {
	for _, text := range []string{hidden, "👨\u200d👩 می\u200cخواهم ❤\ufe0f", "\U0001f600\U0010ffff", `\u0041`} {
		s := newScreen("", func(c *Config) { c.JSON = true })
		if err := s.Document(map[string]string{"text": text}); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexAny(s.out.String(), hidden); i >= 0 {
			t.Errorf("%+q holds something hidden at %d", s.out.String(), i)
		}
		var back struct {
			Version int
			Text    string
		}
		if err := json.Unmarshal(s.out.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		if back.Version != 1 || back.Text != text {
			t.Errorf("%+q became %+q, version %d", text, back.Text, back.Version)
		}
	}
}

func TestDocumentIsOneObject(t *testing.T) {
	s := newScreen("", func(c *Config) { c.JSON = true })
	for _, value := range []any{[]string{"a"}, "text", 1, nil, map[string]any{"f": func() {}}} {
		if err := s.Document(value); err == nil {
			t.Errorf("%T was printed", value)
		}
	}
	s.expect(t, "", "")
	if err := s.Document(struct{}{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Document(struct{}{}); err == nil {
		t.Error("a second document was printed")
	}
	s.expect(t, "{\n  \"version\": 1\n}\n", "")
}

func TestDocumentIsPrintedWithQuiet(t *testing.T) {
	s := newScreen("", func(c *Config) { c.JSON, c.Quiet = true, true })
	if err := s.Document(struct{}{}); err != nil {
		t.Fatal(err)
	}
	s.expect(t, "{\n  \"version\": 1\n}\n", "")
}

func TestDocumentNeedsTheFlag(t *testing.T) {
	s := newScreen("", nil)
	if err := s.Document([]int{1}); err != nil {
		t.Fatal(err)
	}
	s.expect(t, "", "")
}
