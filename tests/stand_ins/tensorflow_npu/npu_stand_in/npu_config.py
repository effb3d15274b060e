# SPDX-License-Identifier: Apache-2.0
"""The configuration classes of npu_bridge and npu_device, with the real constructors' names."""

import copy

from npu_stand_in import estimator, protos, record
from npu_stand_in.session import check_options

# In the order of the constructor: positions matter.
RUN_CONFIG = dict(
    iterations_per_loop=1, profiling_config=None, model_dir=None, tf_random_seed=None,
    save_summary_steps=0, save_checkpoints_steps=None, save_checkpoints_secs=None,
    session_config=None, keep_checkpoint_max=5, keep_checkpoint_every_n_hours=10000,
    log_step_count_steps=100, distribute=None, enable_data_pre_proc=True, precision_mode=None,
    enable_reduce_precision=False, variable_format_optimize=None, mix_compile_mode=False,
    hcom_parallel=True, graph_memory_max_size=None, variable_memory_max_size=None,
    dump_config=None, stream_max_parallel_num=None, is_tailing_optimization=False,
    horovod_mode=False, graph_run_mode=1, op_debug_level=None, enable_scope_fusion_passes=None,
    enable_exception_dump=2, op_select_implmode=None, optypelist_for_implmode=None,
    dynamic_input_config=None, aoe_mode=None, work_path=None, buffer_optimize="l2_optimize",
    enable_small_channel=0, fusion_switch_file=None, enable_compress_weight=False,
    compress_weight_conf=None, op_compiler_cache_mode=None, op_compiler_cache_dir=None,
    debug_dir=None, hcom_multi_mode=False, dynamic_input=None,
    dynamic_graph_execute_mode="dynamic_execute", dynamic_inputs_shape_range=None,
    train_distribute=None, eval_distribute=None, local_rank_id=None, local_device_list=None,
    session_device_id=None, distribute_config=None, modify_mixlist=None, op_precision_mode=None,
    device_type="default_device_type", soc_config=None, hccl_timeout=None, op_wait_timeout=None,
    op_execute_timeout=None, HCCL_algorithm=None, customize_dtypes=None, op_debug_config=None,
    memory_config=None, experimental_config=None, topo_sorting_mode=None, aoe_config_file=None,
    insert_op_file=None, stream_sync_timeout=-1, event_sync_timeout=-1, external_weight=False,
    deterministic=0, frozen_variable=False, variable_placement="Device", jit_compile="auto",
    precision_mode_v2=None)
OF_TF = {"model_dir", "tf_random_seed", "save_summary_steps", "save_checkpoints_steps",
         "save_checkpoints_secs", "session_config", "keep_checkpoint_max",
         "keep_checkpoint_every_n_hours", "log_step_count_steps", "train_distribute",
         "eval_distribute"}


class Fields:
    """A class that takes the fields in their order and refuses other names."""

    FIELDS = {}

    def __init__(self, *arguments, **keywords):
        names = list(self.FIELDS)
        if len(arguments) > len(names):
            raise TypeError(f"{type(self).__name__} takes {len(names)} arguments")
        given = dict(zip(names, arguments))
        for name in keywords:
            if name not in self.FIELDS:
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword "
                                f"argument '{name}'")
            if name in given:
                raise TypeError(f"{type(self).__name__}.__init__() got multiple values for "
                                f"argument '{name}'")
        self.__dict__.update({**self.FIELDS, **given, **keywords})
        record.event("npu", name=type(self).__name__,
                     keywords=record.describe({**given, **keywords}))


class DumpConfig(Fields):
    FIELDS = dict(enable_dump=False, dump_path=None, dump_step=None, dump_mode="output",
                  enable_dump_debug=False, dump_debug_mode="all", dump_data="tensor",
                  dump_layer=None)


class ProfilingConfig(Fields):
    FIELDS = dict(enable_profiling=False, profiling_options=None)


class MemoryConfig(Fields):
    FIELDS = dict(atomic_clean_policy=0, static_memory_policy=0, memory_optimization_policy=None,
                  variable_use_1g_huge_page=0)


class NPURunConfig(Fields, estimator.RunConfig):
    FIELDS = RUN_CONFIG

    def __init__(self, *arguments, **keywords):
        Fields.__init__(self, *arguments, **keywords)
        if self.dump_config is not None and not isinstance(self.dump_config, DumpConfig):
            raise ValueError("`dump_config` must be provided with type `DumpConfig`")
        if self.mix_compile_mode is True and self.iterations_per_loop != 1:
            raise ValueError('"iterations_per_loop" must be 1 with "mix_compile_mode" is True')
        if not isinstance(self.jit_compile, str):
            raise ValueError('"jit_compile" type must be str')
        estimator.RunConfig.__init__(self, **{name: self.__dict__[name] for name in OF_TF})


class NPUEstimator(estimator.Estimator):
    """Adds an NpuOptimizer of its own, from the fields of its NPURunConfig, behind any other."""

    def __init__(self, model_fn=None, model_dir=None, config=None, params=None, job_start_file="",
                 warm_start_from=None):
        if not isinstance(config, NPURunConfig):
            raise ValueError("`config` must be provided with type `NPURunConfig`")
        super().__init__(model_fn, model_dir, config, params)

    def _config(self):
        run = self.config
        config = copy.deepcopy(run.session_config) or protos.ConfigProto()
        optimizer = config.graph_options.rewrite_options.custom_optimizers.add()
        optimizer.name = "NpuOptimizer"
        put(optimizer, vars(run.dump_config or DumpConfig()))
        put(optimizer, {"profiling_mode": run.profiling_config.enable_profiling,
                        "profiling_options": run.profiling_config.profiling_options}
            if run.profiling_config else {})
        put(optimizer, {name: value for name, value in vars(run).items() if name in RUN_CONFIG and
                        name not in OF_TF and isinstance(value, (bool, int, str))})
        rewrite = config.graph_options.rewrite_options
        rewrite.remapping = rewrite.memory_optimization = protos.RewriterConfig.OFF
        check_options(config)
        return config


def put(optimizer, values):
    """Sets the options that have a value, each in the field of its type."""
    for name, value in values.items():
        if value is None or name.startswith("_"):
            continue
        if isinstance(value, bool):
            optimizer.parameter_map[name].b = value
        elif isinstance(value, int):
            optimizer.parameter_map[name].i = value
        else:
            optimizer.parameter_map[name].s = str(value).encode()


class Options:
    """A group of global options: only names that exist, and values that are allowed."""

    def __init__(self, name, **options):
        self.__dict__.update(_name=name, _options=options,
                             _values={key: group for key, group in options.items()
                                      if isinstance(group, Options)})

    def __getattr__(self, name):
        if name.startswith("__") or name not in self._options:
            raise AttributeError(name)
        return self._values.get(name)

    def __setattr__(self, name, value):
        if name not in self._options:
            raise ValueError(f"{self._name} has no option {name}")
        allowed = self._options[name]
        if isinstance(allowed, (list, tuple)) and value not in allowed:
            raise ValueError(f"'{value}' not in optional list {allowed}")
        self._values[name] = value

    def as_dict(self):
        """The options that were set, by name; those of groups beside the others."""
        result = {}
        for name, value in self._values.items():
            result.update(value.as_dict() if isinstance(value, Options) else {name: value})
        return result


SWITCH = [True, False]


def global_options():
    """What npu_device.global_options() returns."""
    free = {name: None for name in RUN_CONFIG if name not in OF_TF}
    for name in ("dump_config", "profiling_config", "memory_config", "experimental_config",
                 "iterations_per_loop", "distribute", "jit_compile", "mix_compile_mode"):
        free.pop(name)
    precision = ["force_fp32", "allow_fp32_to_fp16", "force_fp16", "must_keep_origin_dtype",
                 "allow_mix_precision", "cube_fp16in_fp32out", "allow_mix_precision_fp16",
                 "allow_mix_precision_bf16", "allow_fp32_to_bf16"]
    free.update(
        precision_mode=precision, jit_compile=["true", "false", "auto"],
        precision_mode_v2=["fp16", "origin", "cube_fp16in_fp32out", "mixed_float16",
                           "mixed_bfloat16", "cube_hif8", "mixed_hif8"],
        graph_run_mode=[0, 1], op_debug_level=[0, 1, 2, 3, 4], enable_exception_dump=[0, 1, 2],
        op_select_implmode=["high_performance", "high_precision"], hcom_parallel=SWITCH,
        is_tailing_optimization=SWITCH, deterministic=[0, 1], external_weight=SWITCH,
        ac_parallel_enable=["0", "1"], quant_dumpable=["0", "1"], graph_exec_timeout=None,
        op_compiler_cache_mode=["enable", "disable", "force"], graph_compiler_cache_dir=None)
    return Options(
        "NpuConfig", **free,
        dump_config=Options(
            "NpuDumpConfig", enable_dump=SWITCH, dump_path=None, dump_step=None,
            dump_mode=["input", "output", "all"], enable_dump_debug=SWITCH,
            dump_debug_mode=["aicore_overflow", "atomic_overflow", "all"],
            dump_data=["tensor", "stats"], dump_layer=None),
        profiling_config=Options("NpuProfilingConfig", enable_profiling=SWITCH,
                                 profiling_options=None),
        aoe_config=Options("NpuAoeConfig", aoe_mode=["1", "2", "3", "4", ""], work_path=None,
                           aoe_config_file=None),
        memory_config=Options("MemoryConfig", atomic_clean_policy=[0, 1],
                              static_memory_policy=[0, 1, 2, 3], memory_optimization_policy=None,
                              variable_use_1g_huge_page=[0, 1, 2]),
        experimental=Options("NpuExperimentalConfig", graph_memory_optimize_config=None))
