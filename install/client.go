package install

import (
	"context"

	"skills/fetch"
	"skills/source"
)

// FromClient makes a fetch client the fetcher of an engine; of nil none.
func FromClient(c *fetch.Client) Fetcher {
	if c == nil {
		return nil
	}
	return client{c}
}

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

// noFetcher is in place of a fetcher that was not given.
type noFetcher struct{}

func (noFetcher) refuse(l source.Locator) error {
	return &Error{Kind: "unsupported", Name: l.Input, Message: "nothing can be fetched, for the engine has no fetcher", Hint: "give Config a Fetcher"}
}

// Resolve refuses.
func (n noFetcher) Resolve(_ context.Context, l source.Locator) (source.Revision, error) {
	return source.Revision{}, n.refuse(l)
}

// Fetch refuses.
func (n noFetcher) Fetch(_ context.Context, r source.Revision) (Tree, error) {
	return nil, n.refuse(r.Locator)
}

// ResolveAll refuses.
func (n noFetcher) ResolveAll(_ context.Context, locators []source.Locator) []fetch.Resolution {
	all := make([]fetch.Resolution, len(locators))
	for i, l := range locators {
		all[i].Err = n.refuse(l)
	}
	return all
}

// FetchTrees refuses.
func (n noFetcher) FetchTrees(_ context.Context, l source.Locator, _ map[string]string) (Tree, error) {
	return nil, n.refuse(l)
}
