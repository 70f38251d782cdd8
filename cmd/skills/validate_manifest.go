package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/catalog"
	"skills/lockfile/manifest"
)

// isManifest tells whether a file is one that says which skills are wanted, and may hold some.
func isManifest(file string) bool {
	return slices.Contains([]string{".toml", ".yaml", ".yml"}, strings.ToLower(filepath.Ext(file)))
}

// checkManifest judges a skills.toml or SkillPlugin documents, and the skills that stand in them.
func (v validation) checkManifest(file string) ([]validatedDocument, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	m, err := manifest.ParseAny(data, filepath.Base(file))
	if err != nil {
		return []validatedDocument{v.judged(file, "", []catalog.Finding{findingOf(err, catalog.SeverityError)})}, nil
	}
	var warnings []catalog.Finding
	for _, warning := range m.Warnings {
		warnings = append(warnings, findingOf(warning, catalog.SeverityWarning))
	}
	documents := []validatedDocument{v.judged(file, "", warnings)}
	for _, skill := range m.Skills {
		if skill.Inline != nil {
			documents = append(documents, v.judged(file, skill.Name, v.inline(skill)))
		}
	}
	return documents, nil
}

// inline judges a skill that stands in a manifest. Its findings are at the line of its entry, since its text may be escaped there.
func (v validation) inline(skill manifest.Skill) []catalog.Finding {
	parsed, findings, err := catalog.Parse([]byte(skill.Inline.Document), v.rules)
	if err != nil {
		findings = append(findings, findingOf(err, catalog.SeverityError))
	} else if severity := v.rules.Profile.Severity("name_mismatch"); parsed.Name != skill.Name && severity != "" {
		findings = append(findings, catalog.Finding{Code: "name_mismatch", Severity: severity,
			Message: "the skill is named \"" + parsed.Name + "\", its entry \"" + skill.Name + "\""})
	}
	for n := range findings {
		findings[n].Line = skill.Line
	}
	return findings
}
