// What the rules write: AscendCL, HCCL, mstx and the C++ part of torch_npu, declared from the
// names, orders and types of arguments that the rules go by.
typedef int aclError;
typedef int rtError_stub;
typedef unsigned short aclFloat16;
enum {
  ACL_SUCCESS = 0,
  ACL_ERROR_NONE = 0,
  ACL_ERROR_INVALID_PARAM = 100000,
  ACL_ERROR_UNINITIALIZE,
  ACL_ERROR_REPEAT_INITIALIZE,
  ACL_ERROR_INTERNAL_ERROR = 500000,
  ACL_ERROR_RT_INVALID_DEVICEID = 107001,
  ACL_ERROR_RT_NO_DEVICE,
  ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
  ACL_ERROR_RT_MEMORY_ALLOCATION
};
typedef void* aclrtStream;
typedef void* aclrtEvent;
typedef void* aclrtContext;
typedef void* aclrtBinHandle;
typedef void* aclrtFuncHandle;
typedef void* aclrtDrvMemHandle;
typedef void* aclmdlRI;
typedef struct aclTensorDesc aclTensorDesc;
typedef void (*aclrtHostFunc)(void*);
typedef void (*aclrtCallback)(void*);
struct aclrtUuid {
  char bytes[16];
};
struct aclrtIpcEventHandle {
  char reserved[64];
};
struct aclrtPhysicalMemProp {
  int reserved;
};
struct aclrtPtrAttributes {
  struct {
    int type;
    unsigned id;
  } location;
};
enum aclrtMemcpyKind {
  ACL_MEMCPY_HOST_TO_HOST,
  ACL_MEMCPY_HOST_TO_DEVICE,
  ACL_MEMCPY_DEVICE_TO_HOST,
  ACL_MEMCPY_DEVICE_TO_DEVICE,
  ACL_MEMCPY_DEFAULT
};
enum aclrtMemMallocPolicy {
  ACL_MEM_MALLOC_HUGE_FIRST,
  ACL_MEM_MALLOC_HUGE_ONLY,
  ACL_MEM_MALLOC_NORMAL_ONLY
};
enum aclrtMemAttr { ACL_DDR_MEM, ACL_HBM_MEM };
enum aclrtLastErrLevel { ACL_RT_THREAD_LEVEL };
enum aclrtDevAttr {
  ACL_DEV_ATTR_AICORE_CORE_NUM,
  ACL_DEV_ATTR_VECTOR_CORE_NUM,
  ACL_DEV_ATTR_WARP_SIZE,
  ACL_DEV_ATTR_L2_CACHE_SIZE,
  ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE
};
enum aclrtDevResLimitType { ACL_RT_DEV_RES_CUBE_CORE, ACL_RT_DEV_RES_VECTOR_CORE };
enum aclmdlRICaptureMode {
  ACL_MODEL_RI_CAPTURE_MODE_GLOBAL,
  ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL,
  ACL_MODEL_RI_CAPTURE_MODE_RELAXED
};
enum aclmdlRICaptureStatus { ACL_MODEL_RI_CAPTURE_STATUS_NONE, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE };
enum { ACL_STREAM_FAST_LAUNCH = 1, ACL_STREAM_FAST_SYNC = 2 };
enum {
  ACL_EVENT_SYNC = 1,
  ACL_EVENT_CAPTURE_STREAM_PROGRESS = 2,
  ACL_EVENT_TIME_LINE = 8,
  ACL_EVENT_IPC = 16
};
enum { ACL_HOST_REG_MAPPED = 2, ACL_HOST_REG_PINNED = 4 };
enum aclDataType { ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_INT32, ACL_BF16 };
enum aclFormat { ACL_FORMAT_NCHW, ACL_FORMAT_NHWC };
enum aclTransType { ACL_TRANS_N, ACL_TRANS_T };
extern "C" {
aclError aclInit(const char*);
const char* aclGetRecentErrMsg();
aclError aclrtMalloc(void**, size_t, aclrtMemMallocPolicy);
aclError aclrtMallocHost(void**, size_t);
aclError aclrtFree(void*);
aclError aclrtFreeHost(void*);
aclError aclrtHostRegisterV2(void*, uint64_t, uint32_t);
aclError aclrtHostUnregister(void*);
aclError aclrtMemcpy(void*, size_t, const void*, size_t, aclrtMemcpyKind);
aclError aclrtMemcpyAsync(void*, size_t, const void*, size_t, aclrtMemcpyKind, aclrtStream);
aclError aclrtMemcpy2d(void*, size_t, const void*, size_t, size_t, size_t, aclrtMemcpyKind);
aclError aclrtMemcpy2dAsync(void*, size_t, const void*, size_t, size_t, size_t, aclrtMemcpyKind,
                            aclrtStream);
aclError aclrtMemset(void*, size_t, int32_t, size_t);
aclError aclrtMemsetAsync(void*, size_t, int32_t, size_t, aclrtStream);
aclError aclrtGetMemInfo(aclrtMemAttr, size_t*, size_t*);
aclError aclrtPointerGetAttributes(const void*, aclrtPtrAttributes*);
aclError aclrtSetDevice(int32_t);
aclError aclrtGetDevice(int32_t*);
aclError aclrtGetDeviceCount(uint32_t*);
aclError aclrtSynchronizeDevice();
aclError aclrtResetDevice(int32_t);
aclError aclrtGetDeviceInfo(uint32_t, aclrtDevAttr, int64_t*);
aclError aclrtDeviceCanAccessPeer(int32_t*, int32_t, int32_t);
aclError aclrtDeviceEnablePeerAccess(int32_t, uint32_t);
aclError aclrtDeviceDisablePeerAccess(int32_t);
aclError aclrtCreateStream(aclrtStream*);
aclError aclrtCreateStreamWithConfig(aclrtStream*, uint32_t, uint32_t);
aclError aclrtDestroyStream(aclrtStream);
aclError aclrtSynchronizeStream(aclrtStream);
aclError aclrtStreamWaitEvent(aclrtStream, aclrtEvent);
aclError aclrtLaunchHostFunc(aclrtStream, aclrtHostFunc, void*);
aclError aclmdlRICaptureBegin(aclrtStream, aclmdlRICaptureMode);
aclError aclmdlRICaptureEnd(aclrtStream, aclmdlRI*);
aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode*);
aclError aclmdlRIExecuteAsync(aclmdlRI, aclrtStream);
aclError aclmdlRIDestroy(aclmdlRI);
aclError aclrtCreateEvent(aclrtEvent*);
aclError aclrtCreateEventWithFlag(aclrtEvent*, uint32_t);
aclError aclrtDestroyEvent(aclrtEvent);
aclError aclrtRecordEvent(aclrtEvent, aclrtStream);
aclError aclrtSynchronizeEvent(aclrtEvent);
aclError aclrtEventElapsedTime(float*, aclrtEvent, aclrtEvent);
aclError aclrtIpcGetEventHandle(aclrtEvent, aclrtIpcEventHandle*);
aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle, aclrtEvent*);
aclError aclrtGetLastError(aclrtLastErrLevel);
aclError aclrtPeekAtLastError(aclrtLastErrLevel);
aclError aclrtCreateContext(aclrtContext*, int32_t);
aclError aclrtDestroyContext(aclrtContext);
aclError aclrtSetCurrentContext(aclrtContext);
aclError aclrtGetCurrentContext(aclrtContext*);
aclError aclrtMallocPhysical(aclrtDrvMemHandle*, size_t, const aclrtPhysicalMemProp*, uint64_t);
aclError aclrtFreePhysical(aclrtDrvMemHandle);
aclError aclrtReserveMemAddress(void**, size_t, size_t, void*, uint64_t);
aclError aclrtReleaseMemAddress(void*);
aclError aclrtMapMem(void*, size_t, size_t, aclrtDrvMemHandle, uint64_t);
aclError aclrtUnmapMem(void*);
aclError aclrtValueWait(void*, uint64_t, uint32_t, aclrtStream);
aclError aclrtValueWrite(void*, uint64_t, uint32_t, aclrtStream);
void aclDestroyTensorDesc(const aclTensorDesc*);
}
typedef void* HcclComm;
struct HcclRootInfo {
  char internal[4108];
};
enum HcclResult { HCCL_SUCCESS };
enum HcclDataType {
  HCCL_DATA_TYPE_INT8,
  HCCL_DATA_TYPE_INT16,
  HCCL_DATA_TYPE_INT32,
  HCCL_DATA_TYPE_FP16,
  HCCL_DATA_TYPE_FP32,
  HCCL_DATA_TYPE_INT64,
  HCCL_DATA_TYPE_UINT64,
  HCCL_DATA_TYPE_UINT8,
  HCCL_DATA_TYPE_FP64 = 10,
  HCCL_DATA_TYPE_BFP16
};
enum HcclReduceOp { HCCL_REDUCE_SUM, HCCL_REDUCE_PROD, HCCL_REDUCE_MAX, HCCL_REDUCE_MIN };
extern "C" {
HcclResult HcclGetRootInfo(HcclRootInfo*);
HcclResult HcclCommInitRootInfo(uint32_t, const HcclRootInfo*, uint32_t, HcclComm*);
HcclResult HcclCommInitAll(uint32_t, int32_t*, HcclComm*);
HcclResult HcclCommDestroy(HcclComm);
HcclResult HcclGetRankSize(HcclComm, uint32_t*);
HcclResult HcclGetRankId(HcclComm, uint32_t*);
HcclResult HcclGetCommAsyncError(HcclComm, HcclResult*);
const char* HcclGetErrorString(HcclResult);
HcclResult HcclAllReduce(void*, void*, uint64_t, HcclDataType, HcclReduceOp, HcclComm, aclrtStream);
HcclResult HcclBroadcast(void*, uint64_t, HcclDataType, uint32_t, HcclComm, aclrtStream);
HcclResult HcclReduce(void*, void*, uint64_t, HcclDataType, HcclReduceOp, uint32_t, HcclComm,
                      aclrtStream);
HcclResult HcclAllGather(void*, void*, uint64_t, HcclDataType, HcclComm, aclrtStream);
HcclResult HcclReduceScatter(void*, void*, uint64_t, HcclDataType, HcclReduceOp, HcclComm,
                             aclrtStream);
HcclResult HcclSend(void*, uint64_t, HcclDataType, uint32_t, HcclComm, aclrtStream);
HcclResult HcclRecv(void*, uint64_t, HcclDataType, uint32_t, HcclComm, aclrtStream);
HcclResult HcclGroupStart();
HcclResult HcclGroupEnd();
typedef uint64_t mstxRangeId;
typedef struct mstxDomainRegistration* mstxDomainHandle_t;
void mstxMarkA(const char*, aclrtStream);
mstxRangeId mstxRangeStartA(const char*, aclrtStream);
void mstxRangeEnd(mstxRangeId);
mstxDomainHandle_t mstxDomainCreateA(const char*);
}
#define NPU_CHECK_ERROR(x, ...) \
  do {                          \
    aclError stub_error = (x);  \
    (void)stub_error;           \
  } while (0)
#define NPU_CHECK_WARN(x) NPU_CHECK_ERROR(x)
#define TORCH_NPU_API
namespace c10_npu {
class NPUStream {
 public:
  explicit NPUStream(c10::Stream);
  operator aclrtStream() const;
  operator c10::Stream() const;
  aclrtStream stream() const;
  aclrtStream stream(bool) const;
  c10::Stream unwrap() const;
  c10::DeviceIndex device_index() const;
  c10::Device device() const;
  long id() const;
  void synchronize() const;
  bool query() const;
  int priority() const;
  bool operator==(const NPUStream&) const;
};
NPUStream getCurrentNPUStream(c10::DeviceIndex = -1);
NPUStream getDefaultNPUStream(c10::DeviceIndex = -1);
NPUStream getStreamFromPool(bool, c10::DeviceIndex);
NPUStream getStreamFromExternal(aclrtStream, c10::DeviceIndex);
void setCurrentNPUStream(NPUStream);
class NPUGuard {
 public:
  explicit NPUGuard(c10::DeviceIndex);
  explicit NPUGuard(c10::Device);
  void set_device(c10::Device);
  void set_index(c10::DeviceIndex);
  c10::Device current_device() const;
};
class OptionalNPUGuard {
 public:
  OptionalNPUGuard();
  explicit OptionalNPUGuard(c10::optional<c10::Device>);
  explicit OptionalNPUGuard(c10::DeviceIndex);
  void set_device(c10::Device);
  void set_index(c10::DeviceIndex);
};
class NPUStreamGuard {
 public:
  explicit NPUStreamGuard(c10::Stream);
  void reset_stream(c10::Stream);
};
class OptionalNPUStreamGuard {
 public:
  OptionalNPUStreamGuard();
  explicit OptionalNPUStreamGuard(c10::Stream);
};
class NPUMultiStreamGuard {
 public:
  explicit NPUMultiStreamGuard(c10::ArrayRef<NPUStream>);
};
class NPUEvent {
 public:
  NPUEvent();
  explicit NPUEvent(unsigned);
  void record();
  void record(const NPUStream&);
  void block(const NPUStream&);
  bool query() const;
  void synchronize() const;
  float elapsed_time(const NPUEvent&) const;
  aclrtEvent event() const;
};
class NPUGraph {
 public:
  void capture_begin();
  void capture_end();
  void replay();
};
c10::DeviceIndex device_count();
c10::DeviceIndex current_device();
void set_device(c10::DeviceIndex);
void device_synchronize();
void stream_synchronize(aclrtStream);
void npuSynchronizeDevice(bool = true);
aclError GetDevice(int32_t*);
aclError SetDevice(c10::DeviceIndex);
int ExchangeDevice(int);
void warn_or_error_on_sync();
namespace NPUCachingAllocator {
struct DeviceStats {};
void* raw_alloc(size_t);
void* raw_alloc_with_stream(size_t, aclrtStream);
void raw_delete(void*);
void recordStream(const c10::DataPtr&, NPUStream);
void emptyCache(bool = true);
void cacheInfo(int, size_t*, size_t*);
DeviceStats getDeviceStats(int);
void resetPeakStats(int);
c10::Allocator* get();
}  // namespace NPUCachingAllocator
}  // namespace c10_npu
namespace at_npu {
struct PhiloxNpuState {
  unsigned long seed_, offset_;
};
struct NPUGeneratorImpl {
  PhiloxNpuState philox_npu_state(unsigned long);
  std::pair<unsigned long, unsigned long> philox_engine_inputs(unsigned long);
  std::mutex mutex_;
};
namespace detail {
const at::Generator& getDefaultNPUGenerator(int = -1);
at::Generator createNPUGenerator(int = -1);
}  // namespace detail
namespace native {
bool CachingHostAllocator_recordEvent(void*, void*, c10_npu::NPUStream);
at::Allocator* getCachingHostAllocator();
at::Allocator* getPinnedMemoryAllocator();
}  // namespace native
}  // namespace at_npu
namespace c10d_npu {
class ProcessGroupHCCL {};
}  // namespace c10d_npu
// A launch stays as it is; its stream does not.
int cudaConfigureCall(dim3, dim3, size_t = 0, aclrtStream = 0);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, aclrtStream = 0);
