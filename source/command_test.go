package source

import (
	"slices"
	"strings"
	"testing"
)

func TestCommandGivesTheWordsThatAddTakes(t *testing.T) {
	tests := []struct {
		line string
		want []string // nil: no command
	}{
		{"npx skills add o/r --skill pdf", []string{"o/r", "--skill", "pdf"}},
		{"npx skills add o/r --skill pdf xlsx -y", []string{"o/r", "--skill", "pdf", "--skill", "xlsx", "-y"}},
		{"npx skills add o/r -a claude-code codex -s pdf", []string{"o/r", "-a", "claude-code", "-a", "codex", "-s", "pdf"}},
		{"npx skills add --skill pdf o/r", []string{"--skill", "pdf", "o/r"}},
		{"npx skills add o/r a/b --ref v1", []string{"o/r", "a/b", "--ref", "v1"}},
		{"npx skills add o/r --ref v1 a/b", []string{"o/r", "--ref", "v1", "a/b"}},
		{"npx skills add o/r --skill=pdf", []string{"o/r", "--skill=pdf"}},
		{"npx -y skills@latest add o/r", []string{"o/r"}},
		{"npx --yes --package skills skills add o/r", []string{"o/r"}},
		{"npx -p", nil},
		{"bunx skills add o/r", []string{"o/r"}},
		{"bun x skills add o/r", []string{"o/r"}},
		{"pnpm dlx skills a o/r", []string{"o/r"}},
		{"pnpx skills i o/r", []string{"o/r"}},
		{"yarn dlx skills install o/r", []string{"o/r"}},
		{"npm exec -- skills add o/r", []string{"o/r"}},
		{"npx add-skill o/r -g", []string{"o/r", "-g"}},
		{"  $  npx  skills  add  'my dir/x'  --skill  \"find \\\"it\\\"\" ", []string{"my dir/x", "--skill", `find "it"`}},
		{`skills add C:\x\y`, []string{`C:\x\y`}},
		{"skills add ''", []string{""}},
		{"skills add", []string{}},
		{"gh skill install o/r", []string{"o/r"}},
		{"gh skill install o/r pdf", []string{"o/r", "--skill", "pdf"}},
		{"gh skill install o/r pdf@v1.2 --scope user", []string{"o/r", "--skill", "pdf", "--ref", "v1.2", "--global"}},
		{"gh skill install --agent codex o/r pdf --pin=v1 --scope project --force", []string{"--agent", "codex", "o/r", "--skill", "pdf", "--ref", "v1", "--force"}},
		{"git clone https://github.com/o/r", []string{"https://github.com/o/r"}},
		{"git clone -q --depth 1 -b v1 -o up git@h.example:o/r.git dir", []string{"git@h.example:o/r.git", "--ref", "v1"}},
		{"git clone o/r --branch=main", []string{"o/r", "--ref", "main"}},
		{"git clone", []string{}},
		{"gh repo clone o/r dir -- --depth 1", []string{"o/r"}},
		{"`npx skills add o/r -y`", []string{"o/r", "-y"}},
		{"“git clone o/r”", []string{"o/r"}},
		{"git clone -b", []string{}},
		{"git clone -s o/r --skill pdf --skill=notes -y -a codex", []string{"o/r", "--skill", "pdf", "--skill", "notes", "-y", "-a", "codex"}},
		{"git", nil},
		{"git status", nil},
		{"gh repo view o/r", nil},
		{"gh pr list", nil},
		{"npx other add o/r", nil},
		{"npx skills list", []string{"skills list"}},
		{"npx -y skills@latest find pdf", []string{"skills@latest find pdf"}},
		{"/plugin install a@b", []string{"/plugin install a@b"}},
		{"/plugin marketplace add o/r", []string{"o/r"}},
		{"claude plugin marketplace add o/r --scope user", []string{"o/r"}},
		{"claude mcp add x", nil},
		{"apm install o/r a/b --target claude -s pdf", []string{"o/r", "a/b", "-s", "pdf"}},
		{"npx openskills@1 install o/r --universal -y", []string{"o/r", "-y"}},
		{"npx playbooks add skill o/r --skill pdf", []string{"o/r", "--skill", "pdf"}},
		{"gemini extensions install https://github.com/o/r", []string{"https://github.com/o/r"}},
		{"npm install @s/p", []string{"npm:@s/p"}},
		{"npm i -D --registry https://h.example p@1 q", []string{"npm:p@1", "npm:q"}},
		{"npm install o/r ./p x.tgz git+https://h.example/r", []string{"o/r", "./p", "x.tgz", "git+https://h.example/r"}},
		{"npm install", []string{}},
		{"npm run build", nil},
		{"pnpm install skills", []string{"npm:skills"}},
		{"yarn install", nil},
		{"skills", nil},
		{"npx", nil},
		{"npx -y", nil},
		{"o/r", nil},
		{"", nil},
		{"$", nil},
		{"skills add 'o/r", nil},
		{"https://example.com/skills add", nil},
	}
	for _, test := range tests {
		got, ok := Command(test.line)
		if ok != (test.want != nil) || !slices.Equal(got, test.want) {
			t.Errorf("Command(%q) = %q, %t, want %q", test.line, got, ok, test.want)
		}
	}
}

func TestQuotedWordsAreReadBack(t *testing.T) {
	for _, word := range []string{"pdf", "find skills", "it's", `"q"`, `back\slash`, `end\`, "$HOME", "a;b", "代码", "", `\'`, "*", "--skill"} {
		got, ok := words("x " + quote(word) + " y")
		if !ok || !slices.Equal(got, []string{"x", word, "y"}) {
			t.Errorf("%q: %q, %t", word, got, ok)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, seed := range []string{"a b", `'a b' "c"`, `a\ b`, `'`, `\`, "it's"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, word string) {
		if got, ok := words(quote(word)); strings.IndexByte(word, 0) < 0 && (!ok || !slices.Equal(got, []string{word})) {
			t.Errorf("%q became %q, %t", word, got, ok)
		}
		words(word)
		Command(word)
	})
}
