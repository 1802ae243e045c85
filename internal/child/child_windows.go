package child

import (
	"os/exec"
	"sync"
	"syscall"
	"unsafe"
)

func bind(*exec.Cmd) {}

// join puts the program into the job. One that cannot be is left as it is: it ends when its output is closed.
func join(cmd *exec.Cmd) {
	handle, err := job()
	if err != nil {
		return
	}
	const setQuotaAndTerminate = 0x0100 | 0x0001
	process, err := syscall.OpenProcess(setQuotaAndTerminate, false, uint32(cmd.Process.Pid))
	if err != nil {
		return
	}
	defer syscall.CloseHandle(process)                              //nolint:errcheck // nothing is lost with it
	_, _, _ = assignProcess.Call(uintptr(handle), uintptr(process)) // see above
}

var (
	kernel         = syscall.NewLazyDLL("kernel32.dll")
	createJob      = kernel.NewProc("CreateJobObjectW")
	setInformation = kernel.NewProc("SetInformationJobObject")
	assignProcess  = kernel.NewProc("AssignProcessToJobObject")
)

// limits is JOBOBJECT_EXTENDED_LIMIT_INFORMATION.
type limits struct {
	perProcessTime, perJobTime int64
	flags                      uint32
	minSet, maxSet             uintptr
	processes                  uint32
	affinity                   uintptr
	priority, scheduling       uint32
	io                         [6]uint64
	memory                     [4]uintptr
}

// job returns the job whose programs end with its last handle, which is this process's.
var job = sync.OnceValues(func() (syscall.Handle, error) {
	handle, _, err := createJob.Call(0, 0)
	if handle == 0 {
		return 0, err
	}
	const extended, killOnClose = 9, 0x2000
	l := limits{flags: killOnClose}
	if ok, _, err := setInformation.Call(handle, extended, uintptr(unsafe.Pointer(&l)), unsafe.Sizeof(l)); ok == 0 {
		return 0, err
	}
	return syscall.Handle(handle), nil
})
