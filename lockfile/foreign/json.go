package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// parseJSON reads a text whose root is a table.
func (r *reader) parseJSON(data []byte) (*value, error) {
	if err := r.conflict(data); err != nil {
		return nil, err
	}
	if err := r.checkJSON(data); err != nil {
		return nil, err
	}
	p := jsonParser{builder: builder{fault: r.damaged}, data: data, line: 1, decoder: json.NewDecoder(bytes.NewReader(data))}
	p.decoder.UseNumber()
	root, err := p.value(0)
	if err == nil && root.kind != table {
		err = r.damaged(root.line, "the file is %s, not a table", root.kind)
	}
	return root, err
}

// checkJSON refuses what is no JSON, before anything is made of it.
func (r *reader) checkJSON(data []byte) error {
	if !utf8.Valid(data) {
		i := 0
		for i < len(data) {
			c, n := utf8.DecodeRune(data[i:])
			if c == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		return r.damaged(lineOf(data, i), "not valid UTF-8")
	}
	var whole json.RawMessage
	err := json.Unmarshal(data, &whole)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return r.damaged(lineOf(data, int(syntax.Offset)-1), "not valid JSON: %s", syntax)
	}
	return err
}

// lineOf gives the line of an offset.
func lineOf(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(max(offset, 0), len(data))], []byte("\n"))
}

// jsonParser makes values of a text that is known to be JSON.
type jsonParser struct {
	builder
	decoder *json.Decoder
	data    []byte
	line    int // of the end of the last token
	read    int // bytes up to there
}

// next gives a token; the line becomes that on which it ends, which is where it begins, for no token goes over lines. There is no
// error, for the text is JSON.
func (p *jsonParser) next() json.Token {
	token, _ := p.decoder.Token()
	end := int(p.decoder.InputOffset())
	p.line += bytes.Count(p.data[p.read:end], []byte("\n"))
	p.read = end
	return token
}

// value reads the next value.
func (p *jsonParser) value(depth int) (*value, error) {
	token := p.next()
	if err := p.admit(p.line, depth); err != nil {
		return nil, err
	}
	v := &value{line: p.line}
	switch t := token.(type) {
	case nil:
		v.kind = null
	case bool:
		v.kind = boolean
		if t {
			v.text = "true"
		}
	case json.Number:
		v.kind, v.text = number, t.String()
	case string:
		v.kind, v.text = text, t
	case json.Delim:
		v.kind = array
		if t == '{' {
			v.kind = table
		}
		return v, p.items(v, depth+1)
	}
	return v, nil
}

// items reads the members or elements up to the closing bracket.
func (p *jsonParser) items(v *value, depth int) error {
	for p.decoder.More() {
		var key string
		var line int
		if v.kind == table {
			key, _ = p.next().(string)
			line = p.line
		}
		item, err := p.value(depth)
		if err != nil {
			return err
		}
		if v.kind == table {
			item.key, item.line = key, line
		}
		v.items = append(v.items, item)
	}
	p.next()
	if v.kind == table {
		return p.members(v)
	}
	return nil
}
