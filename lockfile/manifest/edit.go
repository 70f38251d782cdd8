package manifest

import "errors"

// Get returns the entry of that name.
func (m *Manifest) Get(name string) (Skill, bool) { return Skill{}, false }

// Set gives the text of the manifest with the entries changed where they stand, or added at the end of [skills].
func (m *Manifest) Set(skills ...Skill) ([]byte, error) { return nil, errors.ErrUnsupported }

// Delete gives the text of the manifest without the entries.
func (m *Manifest) Delete(names ...string) ([]byte, error) { return nil, errors.ErrUnsupported }

// SetAgents gives the text of the manifest with these default agents; nil takes the key away.
func (m *Manifest) SetAgents(agents []string) ([]byte, error) { return nil, errors.ErrUnsupported }

// SetMode gives the text of the manifest with this default mode; "" takes the key away.
func (m *Manifest) SetMode(mode string) ([]byte, error) { return nil, errors.ErrUnsupported }
