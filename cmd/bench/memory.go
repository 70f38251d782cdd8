package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// watchMemory looks at the peak of a process's resident set, as Linux tells it, until the returned function is called, which gives
// the last one seen in bytes. The figure of wait4 is of no use here: it begins with what the parent had.
func watchMemory(pid int) func() int64 {
	done, result := make(chan struct{}), make(chan int64)
	go func() {
		peak := int64(0)
		for ticker := time.NewTicker(2 * time.Millisecond); ; {
			peak = max(peak, residentPeak(pid))
			select {
			case <-ticker.C:
			case <-done:
				ticker.Stop()
				result <- peak
				return
			}
		}
	}()
	return func() int64 { close(done); return <-result }
}

// residentPeak reads VmHWM; 0 where the system has no such file, or the process is gone.
func residentPeak(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	return peakOf(string(data))
}

// peakOf finds VmHWM in the text of a status file.
func peakOf(status string) int64 {
	for line := range strings.Lines(status) {
		var kilobytes int64
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kilobytes); err == nil {
			return kilobytes * 1024
		}
	}
	return 0
}
