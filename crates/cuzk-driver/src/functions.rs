//! The symbols: every function that `cust` refers to, and those that `cuzk-device` calls besides.

#![expect(non_snake_case, reason = "the names are the driver's")]

use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ushort, c_void};
use std::sync::atomic::AtomicPtr;

use cust_raw::*;

use crate::codes;
use crate::library::find;

/// Defines each function under its own name: it forwards to the driver's.
macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $type),*) -> CUresult {
                static ADDRESS: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
                type Function = unsafe extern "C" fn($($type),*) -> c_int;
                match find(&ADDRESS, stringify!($name)) {
                    Ok(address) => {
                        // SAFETY: the address is that of the driver's function of this name,
                        // whose signature the bindings give; the caller keeps its conditions.
                        let code = unsafe {
                            let function: Function = std::mem::transmute(address.as_ptr());
                            function($($argument),*)
                        };
                        codes::known(code)
                    }
                    Err(code) => code,
                }
            }
        )*

        /// Every function that is forwarded.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

forward! {
    cuArray3DCreate_v2(pHandle: *mut CUarray, pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR);
    cuArray3DGetDescriptor_v2(pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR, hArray: CUarray);
    cuArrayDestroy(hArray: CUarray);
    cuCtxCreate_v2(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice);
    cuCtxDestroy_v2(ctx: CUcontext);
    cuCtxEnablePeerAccess(peerContext: CUcontext, Flags: c_uint);
    cuCtxGetApiVersion(ctx: CUcontext, version: *mut c_uint);
    cuCtxGetCacheConfig(pconfig: *mut CUfunc_cache);
    cuCtxGetCurrent(pctx: *mut CUcontext);
    cuCtxGetDevice(device: *mut CUdevice);
    cuCtxGetFlags(flags: *mut c_uint);
    cuCtxGetLimit(pvalue: *mut usize, limit: CUlimit);
    cuCtxGetSharedMemConfig(pConfig: *mut CUsharedconfig);
    cuCtxGetStreamPriorityRange(leastPriority: *mut c_int, greatestPriority: *mut c_int);
    cuCtxPopCurrent_v2(pctx: *mut CUcontext);
    cuCtxPushCurrent_v2(ctx: CUcontext);
    cuCtxSetCacheConfig(config: CUfunc_cache);
    cuCtxSetCurrent(ctx: CUcontext);
    cuCtxSetLimit(limit: CUlimit, value: usize);
    cuCtxSetSharedMemConfig(config: CUsharedconfig);
    cuCtxSynchronize();
    cuDestroyExternalMemory(extMem: CUexternalMemory);
    cuDeviceCanAccessPeer(canAccessPeer: *mut c_int, dev: CUdevice, peerDev: CUdevice);
    cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
    cuDeviceGetAttribute(pi: *mut c_int, attrib: CUdevice_attribute, dev: CUdevice);
    cuDeviceGetByPCIBusId(dev: *mut CUdevice, pciBusId: *const c_char);
    cuDeviceGetCount(count: *mut c_int);
    cuDeviceGetDefaultMemPool(pool_out: *mut CUmemoryPool, dev: CUdevice);
    cuDeviceGetMemPool(pool: *mut CUmemoryPool, dev: CUdevice);
    cuDeviceGetName(name: *mut c_char, len: c_int, dev: CUdevice);
    cuDeviceGetP2PAttribute(
        value: *mut c_int, attrib: CUdevice_P2PAttribute, srcDevice: CUdevice, dstDevice: CUdevice
    );
    cuDeviceGetPCIBusId(pciBusId: *mut c_char, len: c_int, dev: CUdevice);
    cuDeviceGetUuid(uuid: *mut CUuuid, dev: CUdevice);
    cuDeviceGetUuid_v2(uuid: *mut CUuuid, dev: CUdevice);
    cuDevicePrimaryCtxRelease_v2(dev: CUdevice);
    cuDevicePrimaryCtxReset_v2(dev: CUdevice);
    cuDevicePrimaryCtxRetain(pctx: *mut CUcontext, dev: CUdevice);
    cuDevicePrimaryCtxSetFlags_v2(dev: CUdevice, flags: c_uint);
    cuDeviceSetMemPool(dev: CUdevice, pool: CUmemoryPool);
    cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice);
    cuDriverGetVersion(driverVersion: *mut c_int);
    cuEventCreate(phEvent: *mut CUevent, Flags: c_uint);
    cuEventDestroy_v2(hEvent: CUevent);
    cuEventElapsedTime(pMilliseconds: *mut f32, hStart: CUevent, hEnd: CUevent);
    cuEventQuery(hEvent: CUevent);
    cuEventRecord(hEvent: CUevent, hStream: CUstream);
    cuEventRecordWithFlags(hEvent: CUevent, hStream: CUstream, flags: c_uint);
    cuEventSynchronize(hEvent: CUevent);
    cuExternalMemoryGetMappedBuffer(
        devPtr: *mut CUdeviceptr, extMem: CUexternalMemory,
        bufferDesc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC
    );
    cuFuncGetAttribute(pi: *mut c_int, attrib: CUfunction_attribute, hfunc: CUfunction);
    cuFuncSetAttribute(hfunc: CUfunction, attrib: CUfunction_attribute, value: c_int);
    cuFuncSetCacheConfig(hfunc: CUfunction, config: CUfunc_cache);
    cuFuncSetSharedMemConfig(hfunc: CUfunction, config: CUsharedconfig);
    cuGraphAddKernelNode(
        phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
        numDependencies: usize, nodeParams: *const CUDA_KERNEL_NODE_PARAMS
    );
    cuGraphCreate(phGraph: *mut CUgraph, flags: c_uint);
    cuGraphDebugDotPrint(hGraph: CUgraph, path: *const c_char, flags: c_uint);
    cuGraphDestroy(hGraph: CUgraph);
    cuGraphExecDestroy(hGraphExec: CUgraphExec);
    cuGraphGetEdges(
        hGraph: CUgraph, from: *mut CUgraphNode, to: *mut CUgraphNode, numEdges: *mut usize
    );
    cuGraphGetNodes(hGraph: CUgraph, nodes: *mut CUgraphNode, numNodes: *mut usize);
    cuGraphInstantiate_v2(
        phGraphExec: *mut CUgraphExec, hGraph: CUgraph, phErrorNode: *mut CUgraphNode,
        logBuffer: *mut c_char, bufferSize: usize
    );
    cuGraphKernelNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_KERNEL_NODE_PARAMS);
    cuGraphLaunch(hGraphExec: CUgraphExec, hStream: CUstream);
    cuGraphNodeGetType(hNode: CUgraphNode, type_: *mut CUgraphNodeType);
    cuImportExternalMemory(
        extMem_out: *mut CUexternalMemory, memHandleDesc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC
    );
    cuInit(Flags: c_uint);
    cuLaunchCooperativeKernel(
        f: CUfunction, gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint,
        blockDimY: c_uint, blockDimZ: c_uint, sharedMemBytes: c_uint, hStream: CUstream,
        kernelParams: *mut *mut c_void
    );
    cuLaunchHostFunc(hStream: CUstream, fn_: CUhostFn, userData: *mut c_void);
    cuLaunchKernel(
        f: CUfunction, gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint,
        blockDimY: c_uint, blockDimZ: c_uint, sharedMemBytes: c_uint, hStream: CUstream,
        kernelParams: *mut *mut c_void, extra: *mut *mut c_void
    );
    cuLinkAddData_v2(
        state: CUlinkState, type_: CUjitInputType, data: *mut c_void, size: usize,
        name: *const c_char, numOptions: c_uint, options: *mut CUjit_option,
        optionValues: *mut *mut c_void
    );
    cuLinkComplete(state: CUlinkState, cubinOut: *mut *mut c_void, sizeOut: *mut usize);
    cuLinkCreate_v2(
        numOptions: c_uint, options: *mut CUjit_option, optionValues: *mut *mut c_void,
        stateOut: *mut CUlinkState
    );
    cuLinkDestroy(state: CUlinkState);
    cuMemAdvise(devPtr: CUdeviceptr, count: usize, advice: CUmem_advise, device: CUdevice);
    cuMemAllocAsync(dptr: *mut CUdeviceptr, bytesize: usize, hStream: CUstream);
    cuMemAllocFromPoolAsync(
        dptr: *mut CUdeviceptr, bytesize: usize, pool: CUmemoryPool, hStream: CUstream
    );
    cuMemAllocHost_v2(pp: *mut *mut c_void, bytesize: usize);
    cuMemAllocManaged(dptr: *mut CUdeviceptr, bytesize: usize, flags: c_uint);
    cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize);
    cuMemFreeAsync(dptr: CUdeviceptr, hStream: CUstream);
    cuMemFreeHost(p: *mut c_void);
    cuMemFree_v2(dptr: CUdeviceptr);
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    cuMemHostAlloc(pp: *mut *mut c_void, bytesize: usize, Flags: c_uint);
    cuMemHostGetDevicePointer_v2(pdptr: *mut CUdeviceptr, p: *mut c_void, Flags: c_uint);
    cuMemHostGetFlags(pFlags: *mut c_uint, p: *mut c_void);
    cuMemHostRegister_v2(p: *mut c_void, bytesize: usize, Flags: c_uint);
    cuMemHostUnregister(p: *mut c_void);
    cuMemPoolCreate(pool: *mut CUmemoryPool, poolProps: *const CUmemPoolProps);
    cuMemPoolDestroy(pool: CUmemoryPool);
    cuMemPoolGetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: *mut c_void);
    cuMemPoolSetAccess(pool: CUmemoryPool, map: *const CUmemAccessDesc, count: usize);
    cuMemPoolSetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: *mut c_void);
    cuMemPoolTrimTo(pool: CUmemoryPool, minBytesToKeep: usize);
    cuMemPrefetchAsync(devPtr: CUdeviceptr, count: usize, dstDevice: CUdevice, hStream: CUstream);
    cuMemcpy2DAsync_v2(pCopy: *const CUDA_MEMCPY2D, hStream: CUstream);
    cuMemcpy2D_v2(pCopy: *const CUDA_MEMCPY2D);
    cuMemcpyAsync(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize, hStream: CUstream);
    cuMemcpyAtoH_v2(dstHost: *mut c_void, srcArray: CUarray, srcOffset: usize, ByteCount: usize);
    cuMemcpyDtoDAsync_v2(
        dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize, hStream: CUstream
    );
    cuMemcpyDtoD_v2(dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize);
    cuMemcpyDtoHAsync_v2(
        dstHost: *mut c_void, srcDevice: CUdeviceptr, ByteCount: usize, hStream: CUstream
    );
    cuMemcpyDtoH_v2(dstHost: *mut c_void, srcDevice: CUdeviceptr, ByteCount: usize);
    cuMemcpyHtoA_v2(dstArray: CUarray, dstOffset: usize, srcHost: *const c_void, ByteCount: usize);
    cuMemcpyHtoDAsync_v2(
        dstDevice: CUdeviceptr, srcHost: *const c_void, ByteCount: usize, hStream: CUstream
    );
    cuMemcpyHtoD_v2(dstDevice: CUdeviceptr, srcHost: *const c_void, ByteCount: usize);
    cuMemcpyPeerAsync(
        dstDevice: CUdeviceptr, dstContext: CUcontext, srcDevice: CUdeviceptr,
        srcContext: CUcontext, ByteCount: usize, hStream: CUstream
    );
    cuMemsetD16Async(dstDevice: CUdeviceptr, us: c_ushort, N: usize, hStream: CUstream);
    cuMemsetD16_v2(dstDevice: CUdeviceptr, us: c_ushort, N: usize);
    cuMemsetD2D8Async(
        dstDevice: CUdeviceptr, dstPitch: usize, uc: c_uchar, Width: usize, Height: usize,
        hStream: CUstream
    );
    cuMemsetD32Async(dstDevice: CUdeviceptr, ui: c_uint, N: usize, hStream: CUstream);
    cuMemsetD32_v2(dstDevice: CUdeviceptr, ui: c_uint, N: usize);
    cuMemsetD8Async(dstDevice: CUdeviceptr, uc: c_uchar, N: usize, hStream: CUstream);
    cuMemsetD8_v2(dstDevice: CUdeviceptr, uc: c_uchar, N: usize);
    cuModuleGetFunction(hfunc: *mut CUfunction, hmod: CUmodule, name: *const c_char);
    cuModuleGetGlobal_v2(
        dptr: *mut CUdeviceptr, bytes: *mut usize, hmod: CUmodule, name: *const c_char
    );
    cuModuleLoad(module: *mut CUmodule, fname: *const c_char);
    cuModuleLoadData(module: *mut CUmodule, image: *const c_void);
    cuModuleLoadDataEx(
        module: *mut CUmodule, image: *const c_void, numOptions: c_uint,
        options: *mut CUjit_option, optionValues: *mut *mut c_void
    );
    cuModuleUnload(hmod: CUmodule);
    cuOccupancyAvailableDynamicSMemPerBlock(
        dynamicSmemSize: *mut usize, func: CUfunction, numBlocks: c_int, blockSize: c_int
    );
    cuOccupancyMaxActiveBlocksPerMultiprocessor(
        numBlocks: *mut c_int, func: CUfunction, blockSize: c_int, dynamicSMemSize: usize
    );
    cuOccupancyMaxPotentialBlockSize(
        minGridSize: *mut c_int, blockSize: *mut c_int, func: CUfunction,
        blockSizeToDynamicSMemSize: CUoccupancyB2DSize, dynamicSMemSize: usize,
        blockSizeLimit: c_int
    );
    cuPointerGetAttribute(data: *mut c_void, attribute: CUpointer_attribute, ptr: CUdeviceptr);
    cuProfilerStart();
    cuProfilerStop();
    cuStreamBeginCapture_v2(hStream: CUstream, mode: CUstreamCaptureMode);
    cuStreamCreateWithPriority(phStream: *mut CUstream, flags: c_uint, priority: c_int);
    cuStreamDestroy_v2(hStream: CUstream);
    cuStreamEndCapture(hStream: CUstream, phGraph: *mut CUgraph);
    cuStreamGetFlags(hStream: CUstream, flags: *mut c_uint);
    cuStreamGetPriority(hStream: CUstream, priority: *mut c_int);
    cuStreamQuery(hStream: CUstream);
    cuStreamSynchronize(hStream: CUstream);
    cuStreamWaitEvent(hStream: CUstream, hEvent: CUevent, Flags: c_uint);
    cuSurfObjectCreate(pSurfObject: *mut CUsurfObject, pResDesc: *const CUDA_RESOURCE_DESC);
    cuSurfObjectDestroy(surfObject: CUsurfObject);
    cuSurfObjectGetResourceDesc(pResDesc: *mut CUDA_RESOURCE_DESC, surfObject: CUsurfObject);
    cuTexObjectCreate(
        pTexObject: *mut CUtexObject, pResDesc: *const CUDA_RESOURCE_DESC,
        pTexDesc: *const CUDA_TEXTURE_DESC, pResViewDesc: *const CUDA_RESOURCE_VIEW_DESC
    );
    cuTexObjectDestroy(texObject: CUtexObject);
    cuTexObjectGetResourceDesc(pResDesc: *mut CUDA_RESOURCE_DESC, texObject: CUtexObject);
    cuTexObjectGetResourceViewDesc(
        pResViewDesc: *mut CUDA_RESOURCE_VIEW_DESC, texObject: CUtexObject
    );
}

/// The driver's words for a code; ours, where there is no driver to ask or it knows none.
macro_rules! describe {
    ($name:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(code: CUresult, text: *mut *const c_char) -> CUresult {
            static ADDRESS: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
            type Function = unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int;
            if let Ok(address) = find(&ADDRESS, stringify!($name)) {
                // SAFETY: as for every other function.
                let answer = unsafe {
                    let function: Function = std::mem::transmute(address.as_ptr());
                    function(code as c_int, text)
                };
                if answer == 0 {
                    return CUresult::CUDA_SUCCESS;
                }
            }
            // SAFETY: the caller gives a place for one pointer.
            unsafe { *text = codes::description(code).as_ptr() };
            CUresult::CUDA_SUCCESS
        }
    };
}

describe!(cuGetErrorString);
describe!(cuGetErrorName);
