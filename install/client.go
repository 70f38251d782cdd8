package install

import (
	"context"

	"skills/fetch"
	"skills/source"
)

// FromClient makes a fetch client the fetcher of an engine.
func FromClient(c *fetch.Client) Fetcher { return client{c} }

type client struct{ *fetch.Client }

// Fetch hides the type of the client's trees.
func (c client) Fetch(ctx context.Context, revision source.Revision) (Tree, error) {
	tree, err := c.Client.Fetch(ctx, revision)
	if err != nil {
		return nil, err
	}
	return tree, nil
}
