package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// hooks lists the commands of the hooks key. Only what an agent would run is
// listed: command handlers of known events; everything else is reported.
func (p *skillParser) hooks() {
	e := p.entries["hooks"]
	events, ok := e.value.(map[string]any)
	if !ok || p.flat {
		if e.value != nil || p.mentions("hooks") {
			p.report("invalid_field:hooks", e.line, "hooks cannot be read; look at the file before you install it")
		}
		return
	}
	for _, event := range slices.Sorted(maps.Keys(events)) {
		if !skillKitEvent(event) && (p.firstHandler || !knownEvent(event)) {
			p.report("unknown_hook_event:hooks", e.line, "hooks: the event %q is not known", event)
			continue
		}
		entries, _ := events[event].([]any)
		for _, entry := range entries {
			p.hookEntry(event, entry, e.line)
		}
	}
}

// mentions says whether a key that decides what an agent may do stands in the
// part of the front matter that could not be read.
func (p *skillParser) mentions(key string) bool {
	if !p.partial {
		return false
	}
	return slices.ContainsFunc(guarded.FindAllStringSubmatch(p.front, -1), func(m []string) bool { return m[1] == key })
}

// hookEntry lists the handlers of one matcher, all of them: a hook that is not
// shown is a command that runs unseen.
func (p *skillParser) hookEntry(event string, entry any, line int) {
	m, _ := entry.(map[string]any)
	matcher, _ := m["matcher"].(string)
	handlers, _ := m["hooks"].([]any)
	if len(handlers) == 0 && m["command"] != nil {
		handlers = []any{m}
	}
	if len(handlers) > 1 && p.firstHandler {
		p.report("second_hook_handler:hooks", line, "hooks: only the first of %d handlers of %s counts", len(handlers), event)
		handlers = handlers[:1]
	}
	for _, h := range handlers {
		handler, _ := h.(map[string]any)
		command, ok := handler["command"].(string)
		if kind := handler["type"]; !ok || kind != nil && kind != "command" {
			p.report("unknown_hook_type:hooks", line, "hooks: a handler of %s is no command but %v", event, fmt.Sprint(kind))
			continue
		}
		p.skill.Hooks = append(p.skill.Hooks, Hook{Event: event, Matcher: matcher, Command: command, Line: line})
	}
}

// skillKitEvent lists the events of SkillKit, all of them.
func skillKitEvent(event string) bool {
	boundary, found := strings.CutPrefix(event, "Pre")
	if !found {
		boundary, found = strings.CutPrefix(event, "Post")
	}
	switch boundary {
	case "ToolUse", "Subagent", "SkillActivation", "ConversationSave", "ConversationLoad", "LlmRequest", "Turn", "Agent":
		return found
	}
	return false
}

// knownEvent lists the events of the agents that read hooks from a skill, beside those of SkillKit.
func knownEvent(event string) bool {
	switch event {
	case "PostToolUseFailure", "PermissionRequest", "UserPromptSubmit",
		"Notification", "Stop", "StopFailure", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact",
		"SessionStart", "SessionEnd", "Setup", "TaskCreated", "TaskCompleted", "FileChanged":
		return true
	}
	return false
}
