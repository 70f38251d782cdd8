package manifest

import "errors"

// Parse reads the text of a manifest; file is the name to use in errors. An empty text is an empty manifest. Every error is an *Error.
func Parse(data []byte, file string) (*Manifest, error) { return nil, errors.ErrUnsupported }
