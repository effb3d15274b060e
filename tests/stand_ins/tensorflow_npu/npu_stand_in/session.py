# SPDX-License-Identifier: Apache-2.0
"""Sessions: what they are configured with, what they run, when they end."""

import copy
import itertools
import json
import os

from npu_stand_in import protos, record
from npu_stand_in.fake import Fake

ids = itertools.count(1)
STATE = {"initialized": False, "adapted": False, "stack": [], "keras": None}


class OpError(Exception):
    """tf.errors.OpError."""


class OutOfRangeError(OpError):
    """Raised by a session that has run RUNS times: an end for loops that wait for it."""


class InvalidArgumentError(OpError):
    """What the adapter says of wrong options."""


def limit():
    return int(os.environ.get("TRANSPLT_STAND_IN_RUNS", "2000"))


def check_options(config):
    """What the adapter refuses when it reads the options of a session."""
    options = protos.summary(config)["options"]
    for switch in ("enable_dump", "enable_dump_debug"):
        if options.get(switch, {}).get("b") and not options.get("dump_path", {}).get("s"):
            raise InvalidArgumentError("if use dump function, dump_path must be set.")
    if "jit_compile" in options and "s" not in options["jit_compile"]:
        raise InvalidArgumentError("jit_compile must be a string")
    if options.get("precision_mode", {}).get("s") and options.get("precision_mode_v2", {}).get("s"):
        raise InvalidArgumentError("precision_mode and precision_mode_v2 exclude each other")
    if "optypelist_for_implmode" in options and "op_select_implmode" not in options:
        raise InvalidArgumentError("optypelist_for_implmode needs op_select_implmode")


class Session:
    """tf.Session; once npu_bridge is imported, every session gets an NpuOptimizer."""

    KIND = "Session"

    def __init__(self, target="", graph=None, config=None):
        if config is not None and not isinstance(config, protos.ConfigProto):
            raise TypeError(f"config must be a tf.ConfigProto, but got {type(config)}")
        self.identity = next(ids)
        self.graph = graph if graph is not None else Fake("tf.get_default_graph()")
        self.sess_str = target
        self.runs = 0
        self._start(config)

    def _start(self, config):
        config = copy.deepcopy(config) if config is not None else protos.ConfigProto()
        by_decorator = STATE["adapted"] and not protos.npu_optimizers(config)
        if by_decorator:
            config.graph_options.rewrite_options.custom_optimizers.add().name = "NpuOptimizer"
        check_options(config)
        self._config = config
        record.event("session", id=self.identity, kind=self.KIND, by_decorator=by_decorator,
                     config=protos.summary(config))

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        self.runs += 1
        if self.runs > limit():
            raise OutOfRangeError("the stand-in has no more data")
        names = [fetch.stand_in_path if isinstance(fetch, Fake) else record.describe(fetch)
                 for fetch in flat(fetches)]
        record.event("run", session=self.identity, fetches=names, fed=len(feed_dict or {}),
                     config=protos.summary(self._config))
        for system in ("initialize_system", "shutdown_system"):
            if any(system in name for name in names if isinstance(name, str)):
                STATE["initialized"] = system == "initialize_system"
                record.event(system, session=self.identity, config=protos.summary(self._config))
        return results(fetches)

    def close(self):
        record.event("close", session=self.identity)

    def as_default(self):
        return Default(self)

    def __enter__(self):
        STATE["stack"].append(self)
        return self

    def __exit__(self, *error):
        STATE["stack"].pop()
        self.close()
        return False

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Fake(f"session.{name}")


class Default:
    def __init__(self, session):
        self.session = session

    def __enter__(self):
        STATE["stack"].append(self.session)
        return self.session

    def __exit__(self, *error):
        STATE["stack"].pop()
        return False


class InteractiveSession(Session):
    KIND = "InteractiveSession"

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        STATE["stack"].append(self)


class MonitoredSession(Session):
    """What MonitoredTrainingSession and managed_session give."""

    def __init__(self, kind, config, hooks=()):
        self.KIND = kind
        super().__init__(config=config)
        self._asked = 0
        record.event("hooks", session=self.identity, hooks=record.describe(list(hooks or ())))

    def should_stop(self):
        self._asked += 1
        return self._asked > 3


def monitored_training_session(
        master="", is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None,
        chief_only_hooks=None, save_checkpoint_secs=None, save_summaries_steps=None,
        save_summaries_secs=None, config=None, stop_grace_period_secs=120,
        log_step_count_steps=100, max_wait_secs=7200, save_checkpoint_steps=None,
        summary_dir=None):
    return MonitoredSession("MonitoredTrainingSession", config, hooks)


class ChiefSessionCreator:
    """tf.train.ChiefSessionCreator: what MonitoredSession makes its session with."""

    def __init__(self, scaffold=None, master="", config=None, checkpoint_dir=None,
                 checkpoint_filename_with_path=None):
        self.config = config


class WorkerSessionCreator:
    def __init__(self, scaffold=None, master="", config=None, max_wait_secs=1800):
        self.config = config


def monitored_session(session_creator=None, hooks=None, stop_grace_period_secs=120):
    creator = session_creator if session_creator is not None else ChiefSessionCreator()
    return MonitoredSession("MonitoredSession", creator.config, hooks)


def singular_monitored_session(hooks=None, scaffold=None, master="", config=None,
                               checkpoint_dir=None, stop_grace_period_secs=120,
                               checkpoint_filename_with_path=None):
    return MonitoredSession("SingularMonitoredSession", config, hooks)


def slim_evaluate_once(master, checkpoint_path, logdir, num_evals=1, initial_op=None,
                       initial_op_feed_dict=None, eval_op=None, eval_op_feed_dict=None,
                       final_op=None, final_op_feed_dict=None, summary_op=None,
                       variables_to_restore=None, session_config=None, hooks=None):
    with MonitoredSession("slim.evaluation", session_config, hooks) as session:
        session.run(eval_op)


def slim_evaluation_loop(master, checkpoint_dir, logdir, num_evals=1, session_config=None,
                         hooks=None, **keywords):
    with MonitoredSession("slim.evaluation", session_config, hooks) as session:
        session.run(keywords.get("eval_op"))


def evaluate_repeatedly(checkpoint_dir, master="", scaffold=None, eval_ops=None, feed_dict=None,
                        final_ops=None, final_ops_feed_dict=None, eval_interval_secs=60,
                        hooks=None, config=None, max_number_of_evaluations=None, timeout=None,
                        timeout_fn=None):
    with MonitoredSession("evaluate_repeatedly", config, hooks) as session:
        session.run(eval_ops)


def slim_train(train_op, logdir, train_step_fn=None, train_step_kwargs=None, log_every_n_steps=1,
               graph=None, master="", is_chief=True, global_step=None, number_of_steps=None,
               init_op=None, init_feed_dict=None, local_init_op=None, init_fn=None, ready_op=None,
               summary_op=None, save_summaries_secs=600, summary_writer=None,
               startup_delay_steps=0, saver=None, save_interval_secs=600, sync_optimizer=None,
               session_config=None, session_wrapper=None, trace_every_n_steps=None,
               ignore_live_threads=False):
    with MonitoredSession("slim.learning.train", session_config) as session:
        session.run(train_op)
    return Fake("loss")


class Supervisor:
    """tf.train.Supervisor: the sessions that it manages."""

    def __init__(self, *arguments, **keywords):
        self.stops = 0

    def managed_session(self, master="", config=None, start_standard_services=True,
                        close_summary_writer=True):
        return MonitoredSession("managed_session", config)

    def prepare_or_wait_for_session(self, master="", config=None, **keywords):
        return MonitoredSession("prepare_or_wait_for_session", config)

    PrepareSession = prepare_or_wait_for_session

    def should_stop(self):
        self.stops += 1
        return self.stops > 3

    def __getattr__(self, name):
        return Fake(f"supervisor.{name}")


class SessionManager:
    """tf.train.SessionManager, as in tensorflow/python/training/session_manager.py of 1.15."""

    def __init__(self, *arguments, **keywords):
        pass

    def prepare_session(self, master, init_op=None, saver=None, checkpoint_dir=None,
                        checkpoint_filename_with_path=None, wait_for_checkpoint=False,
                        max_wait_secs=7200, config=None, init_feed_dict=None, init_fn=None):
        return MonitoredSession("prepare_session", config)

    def recover_session(self, master, saver=None, checkpoint_dir=None,
                        checkpoint_filename_with_path=None, wait_for_checkpoint=False,
                        max_wait_secs=7200, config=None):
        return MonitoredSession("recover_session", config), True

    def wait_for_session(self, master, config=None, max_wait_secs=float("Inf")):
        return MonitoredSession("wait_for_session", config)


def flat(fetches):
    if isinstance(fetches, dict):
        fetches = list(fetches.values())
    if isinstance(fetches, (list, tuple)):
        return [item for fetch in fetches for item in flat(fetch)]
    return [fetches]


def results(fetches):
    """Values in the structure of what was fetched."""
    if isinstance(fetches, dict):
        return {key: results(value) for key, value in fetches.items()}
    if isinstance(fetches, (list, tuple)):
        values = [results(value) for value in fetches]
        return type(fetches)(*values) if hasattr(fetches, "_fields") else type(fetches)(values)
    name = str(record.describe(fetches))
    for part, shape in json.loads(os.environ.get("TRANSPLT_STAND_IN_SHAPES", "{}")).items():
        if name.startswith(part):
            import numpy
            return numpy.full(shape, 0.5, numpy.float32)
    return Fake(f"result of {name}")


def global_step(session, tensor):
    """tf.train.global_step: what has been run counts as steps."""
    return session.runs


def default_session():
    if STATE["stack"]:
        return STATE["stack"][-1]
    return None


def set_keras_session(session):
    STATE["keras"] = session


def keras_session():
    """The session that keras uses, made without configuration if nobody has set one."""
    if default_session() is not None:
        return default_session()
    if STATE["keras"] is None:
        STATE["keras"] = Session()
    return STATE["keras"]


def clear_keras_session():
    record.event("clear_session")
    STATE["keras"] = None
