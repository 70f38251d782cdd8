package fetch

import "skills/fetch/store"

// OpenStore opens the store in a directory, which is made when it is not there, for [Config].
func OpenStore(dir string) (*store.Store, error) { return store.Open(dir) }
