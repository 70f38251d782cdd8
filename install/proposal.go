package install

import (
	"slices"
	"strings"

	"skills/catalog"
)

// isProposal tells whether a ref is of a change that was proposed: a pull request of GitHub, Gitea or Bitbucket Server, a merge request
// of GitLab, a change of Gerrit. Anybody can make one, and put anything into it later, so nothing follows it.
func isProposal(ref string) bool {
	return slices.ContainsFunc([]string{"refs/pull/", "refs/pull-requests/", "refs/merge-requests/", "refs/changes/"}, func(prefix string) bool {
		return strings.HasPrefix(ref, prefix)
	})
}

// proposalFinding is the warning about such a ref.
func proposalFinding(ref string) catalog.Finding {
	return catalog.Finding{Code: "pull_request", Severity: catalog.SeverityWarning, Message: ref + " is a change that was proposed, and may hold anything"}
}
