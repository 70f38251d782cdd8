package lockfile

import "errors"

// New returns an empty lock.
func New() *Lock { return &Lock{} }

// Parse reads the text of a lock; file is the name to use in errors. Every error is an *Error.
func Parse(data []byte, file string) (*Lock, error) { return nil, errors.ErrUnsupported }

// Skills returns all skills, sorted by the bytes of their names.
func (l *Lock) Skills() []Skill { return nil }

// Get returns the skill of that name.
func (l *Lock) Get(name string) (Skill, bool) { return Skill{}, false }

// Put adds the skill or replaces the one of that name.
func (l *Lock) Put(s Skill) error { return errors.ErrUnsupported }

// Remove takes the skill of that name away and reports whether there was one.
func (l *Lock) Remove(name string) bool { return false }

// Bytes returns the text of the lock.
func (l *Lock) Bytes() []byte { return nil }
