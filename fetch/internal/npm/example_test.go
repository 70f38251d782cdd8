package npm_test

import (
	"fmt"

	"skills/fetch/internal/npm"
)

func ExamplePackage_Choose() {
	p, err := npm.Parse([]byte(`{"name":"tools","dist-tags":{"latest":"1.2.0"},"versions":{
		"1.2.0":{"dist":{"tarball":"https://registry.npmjs.org/tools/-/tools-1.2.0.tgz","shasum":"da39a3ee5e6b4b0d3255bfef95601890afd80709"}}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	version, err := p.Choose("^1")
	fmt.Println(version.Number, version.Digest, err)
	// Output: 1.2.0 sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709 <nil>
}
