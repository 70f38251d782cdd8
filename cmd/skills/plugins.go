package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"skills/catalog"
	"skills/cmd/internal/ui"
	"skills/install"
	"skills/source"
)

// pluginFlags are those of commands that choose by the plugins of a marketplace.
func pluginFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "plugin", Usage: "only the skills of the plugin `NAME` of its marketplace (repeatable)"},
		&cli.BoolFlag{Name: "remote-plugins", Usage: "also follow plugins that its marketplace lists from other sources"},
	}
}

// sourceRequest reads what is wanted of one source from the flags.
func sourceRequest(c *cli.Context, l source.Locator) install.SourceRequest {
	return install.SourceRequest{Locator: l, Skills: c.StringSlice("skill"), Plugins: c.StringSlice("plugin"), Remote: c.Bool("remote-plugins")}
}

// marketplaceDocument is a plugin of a marketplace: its directory, or where else it lies.
type marketplaceDocument struct {
	Name        string  `json:"name"`
	Description *string `json:"description"`
	Path        *string `json:"path"`
	Elsewhere   *string `json:"elsewhere"`
}

// describeMarketplace writes the plugins of a source; none is an empty list.
func describeMarketplace(listing *catalog.Listing) []marketplaceDocument {
	all := []marketplaceDocument{}
	for _, p := range listing.Plugins() {
		d := marketplaceDocument{Name: p.Name, Description: orNull(p.Description), Path: orNull(p.Dir)}
		if p.Remote != nil {
			d.Elsewhere = orNull(p.Remote.String())
		}
		all = append(all, d)
	}
	return all
}

// showFollowed lists the plugins of a marketplace that lie elsewhere, each as a source. One that cannot be had is an error besides.
func (s *session) showFollowed(ctx context.Context, engine *install.Engine, request install.SourceRequest, from *install.Source, full bool) ([]sourceDocument, error) {
	if !request.Remote {
		return nil, nil
	}
	var documents []sourceDocument
	var failures []error
	err := engine.Follow(ctx, request, from, full, func(plugin string, l source.Locator, opened *install.Source, found []catalog.Candidate, err error) {
		d := sourceDocument{Source: l.Source(), Candidates: []candidateDocument{}, Findings: []findingDocument{}, Plugins: []marketplaceDocument{}}
		switch {
		case err == nil:
			s.terminal.Result("%s %s", ui.Bold(plugin), ui.Faint(opened.Revision.Locator.Source()))
			d = s.describeSource(ctx, engine, opened, found)
		case l.Kind == "":
			d.Source = l.Input // which is none
		}
		d.Plugin, d.Error = &plugin, errorOf(err)
		documents, failures = append(documents, d), append(failures, err)
	})
	return documents, errors.Join(append(failures, err)...)
}

// byPlugin prints the candidates of each plugin below its name, in the order in which they come, those of none last.
func (s *session) byPlugin(candidates []candidateDocument) {
	var order []string
	groups := map[string][]candidateDocument{}
	for _, c := range candidates {
		name := ""
		if c.Plugin != nil {
			name = *c.Plugin
		}
		if groups[name] == nil && name != "" {
			order = append(order, name)
		}
		groups[name] = append(groups[name], c)
	}
	for _, name := range order {
		s.terminal.Result("%s", ui.Bold("plugin "+name))
		s.table(groups[name])
	}
	if len(groups[""]) > 0 {
		if len(order) > 0 {
			s.terminal.Result("%s", ui.Bold(fmt.Sprintf("of no plugin: %d", len(groups[""]))))
		}
		s.table(groups[""])
	}
}
