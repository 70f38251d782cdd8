package main

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// registries are the [npm] table of the configuration: addresses of npm registries by the scope that they serve, and "default" for all
// other packages.
type registries map[string]string

// fault is what cannot be meant, "" for nothing.
func (r registries) fault() string {
	for _, scope := range slices.Sorted(maps.Keys(r)) {
		u, err := url.Parse(r[scope])
		switch {
		case scope != "default" && !(len(scope) > 1 && scope[0] == '@' && !strings.ContainsAny(scope, "/ ")):
			return fmt.Sprintf("the key %q of npm is no scope such as \"@acme\", nor \"default\"", scope)
		case err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "":
			return fmt.Sprintf("the registry of %q must be an address that begins with https:// and holds no credentials", scope)
		}
	}
	return ""
}

// byScope gives the addresses as the fetch client wants them.
func (r registries) byScope() map[string]string {
	all := map[string]string{}
	for scope, address := range r {
		all[strings.TrimPrefix(scope, "default")] = address
	}
	return all
}
