package store

import (
	"encoding/json"
	"maps"
	"os"
)

// Facts are small things that were learnt about a host or a repository and spare a request next time, such as the
// filters that a host's git server takes.
type Facts map[string]string

// Facts returns what is known about scope, such as a host's name. Nothing known, or a file that cannot be read, is an
// empty value: facts may be forgotten at any time.
func (s *Store) Facts(scope string) Facts {
	return readFacts(s.root, "facts/"+fileName(scope)+".json")
}

// Remember adds one fact about scope. Two processes that write at once may lose one of both: see [Store.Facts].
func (s *Store) Remember(scope, key, value string) error {
	return s.RememberAll(scope, Facts{key: value})
}

// RememberAll adds facts about scope, whose file is written anew, once for all of them.
func (s *Store) RememberAll(scope string, facts Facts) error {
	return addFacts(s.root, "facts", fileName(scope)+".json", facts)
}

func readFacts(root *os.Root, name string) Facts {
	facts := Facts{}
	if data, err := root.ReadFile(name); err == nil && json.Unmarshal(data, &facts) != nil || facts == nil {
		return Facts{}
	}
	return facts
}

// addFacts writes the file anew, under another name first, unless it says all that already.
func addFacts(root *os.Root, dir, name string, added Facts) error {
	known := readFacts(root, dir+"/"+name)
	facts := maps.Clone(known)
	maps.Copy(facts, added)
	if maps.Equal(facts, known) {
		return nil
	}
	data, err := json.Marshal(facts)
	if err != nil {
		return err
	}
	if err := root.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	file, temp, err := temporary(root, dir)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = root.Rename(temp, dir+"/"+name)
	}
	if err != nil {
		_ = root.Remove(temp)
	}
	return err
}
