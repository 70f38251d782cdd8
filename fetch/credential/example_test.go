package credential_test

import (
	"context"
	"fmt"

	"skills/fetch/credential"
)

// A token of the library's user goes first, then what a file says; each host is looked up once.
func Example() {
	token := func(_ context.Context, r credential.Request) (credential.Credential, error) {
		if r.Host != "github.com" {
			return credential.Credential{}, nil
		}
		return credential.Credential{User: "x-access-token", Password: "secret", Token: true, From: "the vault"}, nil
	}
	netrc := credential.Netrc("netrc", func() ([]byte, error) {
		return []byte("machine git.corp.example login me password hunter2\n"), nil
	})
	find := credential.Once(credential.First(token, netrc))
	for _, host := range []string{"github.com", "git.corp.example", "example.com"} {
		found, err := find(context.Background(), credential.Request{Host: host, Refused: true})
		fmt.Println(host, found.User, found, err)
	}
	// Output:
	// github.com x-access-token the credential from the vault <nil>
	// git.corp.example me the credential from netrc <nil>
	// example.com  no credential <nil>
}
