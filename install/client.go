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
	return hidden(c.Client.Fetch(ctx, revision))
}

// FetchTrees hides the type of the client's trees.
func (c client) FetchTrees(ctx context.Context, locator source.Locator, trees map[string]string) (Tree, error) {
	return hidden(c.Client.FetchTrees(ctx, locator, trees))
}

// hidden keeps nil what is nil.
func hidden(tree *fetch.Tree, err error) (Tree, error) {
	if err != nil {
		return nil, err
	}
	return tree, nil
}
