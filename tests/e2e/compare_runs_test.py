#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt compare-runs on logs as trainings write them."""

import json
import sys
import unittest

sys.dont_write_bytecode = True
from program import ProgramTest  # noqa: E402

FORMS = {
    "megatron": " iteration {step:8d}/     100 | consumed samples: 32 | elapsed time per iteration "
                "(ms): 1.5 | learning rate: 1.0E-04 | lm loss: {loss:.6E} | loss scale: 65536.0 | "
                "grad norm: {norm:.3f} |",
    "json": '{{"step": {step}, "loss": {loss}, "grad_norm": {norm}}}',
    "dictionary": "{{'loss': {loss}, 'grad_norm': {norm}, 'step': {step}}}",
    "text": "[2024-01-01 12:00:00,123] INFO step={step} loss={loss} grad_norm={norm} lr=1e-4",
    "equal signs": "iter {step}: loss {loss}, grad norm {norm}, time 12.3ms",
}


class CompareRuns(ProgramTest):
    def log(self, name, form, losses, norms=None):
        lines = [FORMS[form].format(step=step, loss=loss, norm=(norms or losses)[step])
                 for step, loss in enumerate(losses)]
        self.write(name, "starting on 8 devices\n" + "\n".join(lines) + "\n")

    def compare(self, code, *options):
        result = self.run_for(code, "compare-runs", "a.log", "b.log", "--json", *options)
        found = json.loads(result.stdout)
        return {row["name"]: row for row in found["series"]}

    def test_finds_the_first_step_that_differs_in_every_form(self):
        golden = [10.0 - i / 8 for i in range(20)]
        tested = golden[:7] + [value * 1.02 for value in golden[7:]]
        for form in FORMS:
            with self.subTest(form=form):
                self.log("b.log", form, golden)
                self.log("a.log", form, golden)
                series = self.compare(0)
                self.assertEqual(len(series), 2, series)
                self.log("a.log", form, tested, golden)
                series = self.compare(1)
                loss = series["lm loss" if form == "megatron" else "loss"]
                self.assertEqual((loss["common_steps"], loss["first_step"]), (20, 7))
                self.assertAlmostEqual(loss["max_relative"], 0.02, places=4)
                self.assertFalse(series["grad norm"]["differs"])
                self.compare(0, "--rtol", "0.05")

    def test_reads_csv_with_a_header(self):
        self.write("b.log", "step,train_loss,lr\n0,2.5,0.1\n1,2.25,0.1\n")
        self.write("a.log", "step,train_loss,lr\n0,2.5,0.1\n1,3.25,0.1\n")
        self.assertEqual(self.compare(1)["train loss"]["first_step"], 1)

    def test_keeps_the_epochs_apart_where_steps_begin_again(self):
        forms = {"text": "Epoch {e}, Step {s}, loss: {v}\n", "csv": "{e},{s},{v}\n",
                 "no epoch": "step {s} loss {v}\n"}
        for form, line in forms.items():
            for name, first in (("a.log", 9.5), ("b.log", 2.0)):
                text = "".join(line.format(e=e, s=s, v=first if e == 0 else 1.5)
                               for e in (0, 1) for s in range(3))
                self.write(name, ("epoch,step,loss\n" if form == "csv" else "") + text)
            with self.subTest(form=form):
                row = self.compare(1)["loss"]
                self.assertEqual((row["common_steps"], row["first_step"], row["first_epoch"]),
                                 (6, 0, 0))
                self.assertIn("step 0, epoch 0", self.run_for(
                    1, "compare-runs", "a.log", "b.log").stdout.decode())

    def test_takes_the_last_of_steps_that_a_resumed_run_repeats(self):
        self.write("b.log", "".join(f"step {s} loss 1.{s}\n" for s in range(6)))
        self.write("a.log", "".join(f"step {s} loss {'9' if i in (3, 4) else '1'}.{s}\n"
                                    for i, s in enumerate((0, 1, 2, 3, 4, 3, 4, 5))))
        self.assertEqual(self.compare(0)["loss"]["common_steps"], 6)

    def test_reads_numbers_as_libraries_print_them(self):
        self.write("b.log", "step 1 loss: 2.0\n")
        for number in ("tensor(2.0, device='npu:0')", "tensor([2.0])", "np.float32(2.0)"):
            self.write("a.log", f"step 1 loss: {number}\n")
            self.assertEqual(self.compare(0)["loss"]["common_steps"], 1, number)

    def test_reads_numbers_that_are_too_small_or_too_large(self):
        self.write("b.log", "step 1 loss: 0\nstep 2 loss: -inf\n")
        self.write("a.log", "step 1 loss: 1e-400\nstep 2 loss: -1e400\n")
        self.compare(0)

    def test_counts_lines_where_no_step_is_given(self):
        line = "Epoch: [0][  0/ 13]\tTime 0.5 ( 0.5)\tLoss {} (9.0)\tAcc@1 0.00\n"
        self.write("b.log", "".join(line.format(value) for value in (3.0, 2.0, 1.0)))
        self.write("a.log", "".join(line.format(value) for value in (3.0, 2.0, 1.5)))
        self.assertEqual(self.compare(1)["loss"]["first_step"], 2)

    def test_tells_nan_from_numbers(self):
        self.log("b.log", "text", [1.0, 2.0, 3.0])
        self.log("a.log", "text", [1.0, float("nan"), 3.0], [1.0, 2.0, 3.0])
        row = self.compare(1)["loss"]
        self.assertEqual((row["first_step"], row["first_a"]), (1, "nan"))
        self.log("b.log", "text", [1.0, float("nan"), 3.0], [1.0, 2.0, 3.0])
        self.compare(0)

    def test_tells_steps_and_names_that_one_log_lacks(self):
        self.log("b.log", "text", [1.0, 2.0, 3.0])
        self.log("a.log", "text", [1.0, 2.0])
        self.assertEqual(self.compare(1)["loss"]["only_b"], 1)
        self.write("a.log", "step 0 loss 1.0\nstep 1 loss 2.0\nstep 2 loss 3.0\n")
        text = self.run_for(1, "compare-runs", "a.log", "b.log").stdout.decode()
        self.assertIn("grad norm: only in B", text)

    def test_refuses_logs_without_losses(self):
        self.write("a.log", "nothing here\n")
        self.write("b.log", "step 0 loss 1.0\n")
        text = self.run_for(2, "compare-runs", "a.log", "b.log").stderr.decode()
        self.assertIn("no loss and no gradient norm in 1 lines", text)
        self.run_for(2, "compare-runs", "no-such.log", "b.log")
        text = self.run_for(2, "compare-runs", "a.log", "b.log", "--lang", "zh").stderr.decode()
        self.assertIn("未找到 loss", text)


if __name__ == "__main__":
    sys.exit(unittest.main())
