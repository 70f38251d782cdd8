package install

// Stop sets what is told where a change is, which may stop there as a crash would.
func (e *Engine) Stop(reached func(point string)) { e.reached = reached }
