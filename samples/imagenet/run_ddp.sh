#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Distributed training on the GPUs of one node, one process for each GPU.
#   ./run_ddp.sh /data/imagenet --arch resnet50
#   CUDA_VISIBLE_DEVICES=2,3 ./run_ddp.sh --dummy --epochs 1
set -euo pipefail
cd "$(dirname "$0")"

export CUDA_VISIBLE_DEVICES="${CUDA_VISIBLE_DEVICES:-0,1,2,3}"
export NCCL_DEBUG="${NCCL_DEBUG:-WARN}"
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-4}"

gpus=(${CUDA_VISIBLE_DEVICES//,/ })
echo "using ${#gpus[@]} GPU(s): ${CUDA_VISIBLE_DEVICES}" >&2

exec torchrun --standalone --nproc_per_node="${NPROC:-${#gpus[@]}}" \
    main.py --dist-backend nccl --workers 4 "$@"
