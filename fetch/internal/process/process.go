// Package process runs programs that ask nothing on a terminal, and of which nothing is left when they are ended: git, and ssh, which
// git runs, and what the user's commands put around them.
//
// A use:
//
//	cmd := exec.Command("ssh", …)
//	process.Alone(cmd)
//	err := cmd.Start()
//	process.End(cmd.Process)
package process
