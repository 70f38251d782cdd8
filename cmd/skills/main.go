// Skills installs Agent Skills from any link and keeps them.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Environ())) }
