// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parsed_file.h"
#include "transplt/frontends/shell.h"

namespace transplt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::string_view NameOf(Setting::Kind kind) {
  switch (kind) {
    case Setting::Kind::kVariable:
      return "variable ";
    case Setting::Kind::kOption:
      return "option ";
    case Setting::Kind::kKey:
      return "key ";
    case Setting::Kind::kCommand:
      return "command ";
    case Setting::Kind::kDependency:
      return "dependency ";
    case Setting::Kind::kContainer:
      return "container ";
  }
  return "";
}

/// "option dist-backend=nccl" for each setting, whose ranges are checked.
std::vector<std::string> SettingsOfScript(const std::string& text) {
  const Result<SourceFile> source = SourceFile::FromBytes("run.sh", text);
  if (!source) {
    ADD_FAILURE() << source.error().what.en;
    return {};
  }
  std::vector<std::string> lines;
  uint32_t last = 0;
  for (const Setting& setting : ShellSettings(*source)) {
    // What Slurm is asked for has a mark in front.
    EXPECT_TRUE(setting.name.ends_with(setting.name_range.In(text))) << setting.name;
    EXPECT_EQ(setting.value_range.In(text), setting.value);
    EXPECT_LE(last, setting.name_range.start) << setting.name;
    last = setting.name_range.start;
    lines.push_back(std::string(NameOf(setting.kind)) + setting.name);
    if (!setting.value.empty()) lines.back() += "=" + setting.value;
  }
  return lines;
}

std::string Repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST(ShellSettings, FindAVariableThatIsAssigned) {
  EXPECT_THAT(SettingsOfScript("NCCL_DEBUG=INFO\n"), ElementsAre("variable NCCL_DEBUG=INFO"));
  EXPECT_THAT(SettingsOfScript("A+=x\n"), ElementsAre("variable A=x"));
  EXPECT_THAT(SettingsOfScript("GPUS[1]=3\n"), ElementsAre("variable GPUS=3"));
  EXPECT_THAT(SettingsOfScript("A=\n"), ElementsAre("variable A"));
}

TEST(ShellSettings, FindVariablesBeforeACommand) {
  EXPECT_THAT(SettingsOfScript("CUDA_VISIBLE_DEVICES=0,1 NCCL_P2P_DISABLE=1 python x.py\n"),
              ElementsAre("variable CUDA_VISIBLE_DEVICES=0,1", "variable NCCL_P2P_DISABLE=1",
                          "command python"));
}

TEST(ShellSettings, FindVariablesThatAreDeclared) {
  EXPECT_THAT(SettingsOfScript("export A=1 B \"C=2 3\"\n"),
              ElementsAre("variable A=1", "variable B", "variable C=2 3"));
  EXPECT_THAT(SettingsOfScript("f() { local A=1; readonly B=x; declare -x C=y; }\n"),
              ElementsAre("variable A=1", "variable B=x", "variable C=y"));
  EXPECT_THAT(SettingsOfScript("unset CUDA_LAUNCH_BLOCKING\n"),
              ElementsAre("variable CUDA_LAUNCH_BLOCKING"));
}

TEST(ShellSettings, FindVariablesThatEnvSets) {
  EXPECT_THAT(SettingsOfScript("env -u NCCL_DEBUG CUDA_VISIBLE_DEVICES='0' python a=b\n"),
              ElementsAre("command env", "variable NCCL_DEBUG", "variable CUDA_VISIBLE_DEVICES=0",
                          "command python", "option a=b"));
}

TEST(ShellSettings, FindVariablesThatAreExpanded) {
  EXPECT_THAT(SettingsOfScript("echo $A ${B:-0,1} \"x${C}y\" ${#D[@]} ${!E} $((F + 1)) $1 $@\n"),
              ElementsAre("command echo", "variable A", "variable B=0,1", "variable C",
                          "variable D", "variable E", "variable F"));
  EXPECT_THAT(SettingsOfScript("[[ \"$DEVICE\" == cuda ]]\n"), ElementsAre("variable DEVICE"));
}

TEST(ShellSettings, TakeTheDefaultOfAnExpansionForTheValue) {
  EXPECT_THAT(SettingsOfScript("DEVICE=${DEVICE:-cuda}\n"),
              ElementsAre("variable DEVICE=cuda", "variable DEVICE"));
  EXPECT_THAT(
      SettingsOfScript("python x.py --device ${1:-cuda} --backend=\"${B:-nccl}\"\n"),
      ElementsAre("command python", "option device=cuda", "option backend=nccl", "variable B"));
  EXPECT_THAT(
      SettingsOfScript(": \"${DEVICE:='cuda'}\" ${A:+cuda} ${B%-cuda} ${C:-$D}\n"),
      ElementsAre("variable DEVICE=cuda", "variable A", "variable B", "variable C", "variable D"));
}

TEST(ShellSettings, TakeTheQuotesOffAValue) {
  EXPECT_THAT(SettingsOfScript("A=\"0,1\" B='x y' C=\"\"\n"),
              ElementsAre("variable A=0,1", "variable B=x y", "variable C"));
  EXPECT_THAT(SettingsOfScript("A='$x`'\n"), ElementsAre("variable A=$x`"));
}

TEST(ShellSettings, GiveNoValueThatIsPutTogether) {
  EXPECT_THAT(SettingsOfScript("A=\"x$B\"\n"), ElementsAre("variable A", "variable B"));
  EXPECT_THAT(SettingsOfScript("A=x\"y\"\n"), ElementsAre("variable A"));
  EXPECT_THAT(SettingsOfScript("A=\"x\\\"y\"\n"), ElementsAre("variable A"));
  EXPECT_THAT(SettingsOfScript("A=x\\ y\n"), ElementsAre("variable A"));
  EXPECT_THAT(SettingsOfScript("A=$(nproc)\n"), ElementsAre("variable A", "command nproc"));
  EXPECT_THAT(SettingsOfScript("A=$'x'\n"), ElementsAre("variable A"));
}

TEST(ShellSettings, FindVariablesThatALauncherPassesOn) {
  EXPECT_THAT(SettingsOfScript("mpirun -np 8 -x NCCL_DEBUG=INFO -x PATH python a.py\n"),
              ElementsAre("command mpirun", "option np=8", "variable NCCL_DEBUG=INFO",
                          "variable PATH", "command python"));
  EXPECT_THAT(
      SettingsOfScript("docker run -e A=1 --env \"B=2\" --env=C=$D image\n"),
      ElementsAre("command docker", "variable A=1", "variable B=2", "variable C", "variable D"));
  EXPECT_THAT(SettingsOfScript("launch --env NCCL_DEBUG=INFO --env=RANK=2 -- torchrun a.py\n"),
              testing::IsSupersetOf({"variable NCCL_DEBUG=INFO", "variable RANK=2"}));
  EXPECT_THAT(SettingsOfScript("python a.py --env CartPole-v1 --env size=2\n"),
              testing::Not(testing::Contains(testing::HasSubstr("variable"))));
  EXPECT_THAT(
      SettingsOfScript("srun --export=ALL,NCCL_DEBUG=INFO,A python a.py\n"),
      ElementsAre("command srun", "variable NCCL_DEBUG=INFO", "variable A", "command python"));
  EXPECT_THAT(SettingsOfScript("sbatch --export ALL,A=1 a.sh\n"),
              ElementsAre("command sbatch", "variable A=1"));
}

TEST(ShellSettings, FindVariablesAndDevicesInSlurmComments) {
  EXPECT_THAT(
      SettingsOfScript("#!/bin/bash\n#SBATCH --gres=gpu:8\n#SBATCH --export=ALL,NCCL_DEBUG=INFO\n"
                       "#SBATCH --export A=1 # --export=B\n##SBATCH --export=C=1\n"),
      ElementsAre("option gres=gpu:8", "variable NCCL_DEBUG=INFO", "variable A=1"));
}

TEST(ShellSettings, FindTheGpusThatOptionsAskSlurmFor) {
  EXPECT_THAT(SettingsOfScript("#SBATCH --gpus-per-task=1\n#SBATCH --cpus-per-task=8\n"
                               "#SBATCH -G 2\n"),
              ElementsAre("container #--gpus-per-task", "container #-G"));
  EXPECT_THAT(SettingsOfScript("srun --gpus-per-node=8 python x.py --gpus-per-node 2\n"),
              ElementsAre("command srun", "container #--gpus-per-node", "option gpus-per-node=8",
                          "command python", "option gpus-per-node=2"));
}

TEST(ShellSettings, FindSlurmCommentsInLongComments) {
  EXPECT_THAT(SettingsOfScript(Repeated("# text\n", 1000) + "#SBATCH --export=A=1\n" +
                               Repeated("# text\n", 1000)),
              ElementsAre("variable A=1"));
}

TEST(ShellSettings, FindTheOptionsOfACommand) {
  EXPECT_THAT(SettingsOfScript("python x.py --dist-backend nccl --device=cuda:0 -b 16 --amp -v\n"),
              ElementsAre("command python", "option dist-backend=nccl", "option device=cuda:0",
                          "option b=16", "option amp", "option v"));
}

TEST(ShellSettings, TakeNoOptionForAValue) {
  EXPECT_THAT(SettingsOfScript("python --cuda --seed -1\n"),
              ElementsAre("command python", "option cuda", "option seed"));
}

TEST(ShellSettings, TakeTheQuotesOffTheValueOfAnOption) {
  EXPECT_THAT(
      SettingsOfScript("x --a \"nccl\" --b='x y' \"--c=d e\" --f \"\"\n"),
      ElementsAre("command x", "option a=nccl", "option b=x y", "option c=d e", "option f"));
}

TEST(ShellSettings, GiveNoValueOfAnOptionThatIsExpanded) {
  EXPECT_THAT(SettingsOfScript("x --a $A --b=\"$B\" \"--c=$C\"\n"),
              ElementsAre("command x", "option a", "variable A", "option b", "variable B",
                          "option c", "variable C"));
}

TEST(ShellSettings, FindPairsBehindTheProgram) {
  EXPECT_THAT(
      SettingsOfScript("python x.py trainer.device=cuda +a.b=\"c\" ++d=e model/optimizer=adam\n"),
      ElementsAre("command python", "option trainer.device=cuda", "option a.b=c", "option d=e",
                  "option model/optimizer=adam"));
  EXPECT_THAT(SettingsOfScript("pip list torch==2.1\n"), ElementsAre("command pip"));
}

TEST(ShellSettings, FindOptionsOverManyLines) {
  EXPECT_THAT(
      SettingsOfScript("torchrun \\\n  --nproc_per_node=8 \\\n  x.py \\\n  --device cuda\n"),
      ElementsAre("command torchrun", "option nproc_per_node=8", "option device=cuda"));
}

TEST(ShellSettings, FindOptionsBehindARedirection) {
  EXPECT_THAT(SettingsOfScript("x > log --device cuda\n"),
              ElementsAre("command x", "option device=cuda"));
}

TEST(ShellSettings, FindOptionsInAnArray) {
  EXPECT_THAT(SettingsOfScript("ARGS=(\n  --device cuda  # --no comment\n  --lr=\"0.1\"\n)\n"),
              ElementsAre("variable ARGS", "option device=cuda", "option lr=0.1"));
}

TEST(ShellSettings, FindOptionsInAStringThatIsAssigned) {
  EXPECT_THAT(SettingsOfScript("export ARGS=\"--dist-backend nccl --device=cuda\"\n"),
              ElementsAre("variable ARGS=--dist-backend nccl --device=cuda",
                          "option dist-backend=nccl", "option device=cuda"));
  EXPECT_THAT(SettingsOfScript("A=' -b 1'\n"), ElementsAre("variable A= -b 1", "option b=1"));
  EXPECT_THAT(SettingsOfScript("A=\"$A --lr $(get --now) \\\n --device cuda\"\n"),
              ElementsAre("variable A", "variable A", "option lr", "command get", "option now",
                          "option device=cuda"));
}

TEST(ShellSettings, TakeNoOtherStringForOptions) {
  EXPECT_THAT(SettingsOfScript("echo \"use --device cuda\"\n"), ElementsAre("command echo"));
  EXPECT_THAT(SettingsOfScript("echo use --device cuda backend=nccl\n"),
              ElementsAre("command echo"));
}

TEST(ShellSettings, FindOnlyExpansionsInAHereDocument) {
  EXPECT_THAT(SettingsOfScript("cat <<EOF\nrun --device cuda ${A} and $B\nEOF\n"),
              ElementsAre("command cat", "variable A", "variable B"));
}

TEST(ShellSettings, NameAProgramWithoutItsFolder) {
  EXPECT_THAT(SettingsOfScript("/usr/bin/nvidia-smi\n./run.sh\n"),
              ElementsAre("command nvidia-smi", "command run.sh"));
  EXPECT_THAT(
      SettingsOfScript("\"$CUDA_HOME/bin/nvcc\"\n${CUDA_HOME}/bin/nvcc\n"),
      ElementsAre("variable CUDA_HOME", "command nvcc", "variable CUDA_HOME", "command nvcc"));
  EXPECT_THAT(SettingsOfScript("$PYTHON ${A:-/bin/x}\n"),
              ElementsAre("variable PYTHON", "variable A=/bin/x"));
}

TEST(ShellSettings, FindTheProgramBehindOthers) {
  EXPECT_THAT(
      SettingsOfScript("sudo -E -u root env A=1 timeout -s KILL 60 nohup nvidia-smi\n"),
      ElementsAre("command sudo", "option E", "option u=root", "command env", "variable A=1",
                  "command timeout", "option s=KILL", "command nohup", "command nvidia-smi"));
  EXPECT_THAT(SettingsOfScript("watch -n 1 nvidia-smi\nwatch \"nvidia-smi -l\"\n"),
              ElementsAre("command watch", "option n=1", "command nvidia-smi", "command watch",
                          "command nvidia-smi"));
  EXPECT_THAT(SettingsOfScript("exec time nvcc\n"),
              ElementsAre("command exec", "command time", "command nvcc"));
  EXPECT_THAT(
      SettingsOfScript("srun -N1 -n 4 --label nvidia-smi\n"),
      ElementsAre("command srun", "option N1", "option n=4", "option label", "command nvidia-smi"));
  EXPECT_THAT(SettingsOfScript("mpirun --mca btl tcp --allow-run-as-root nvidia-smi\n"),
              ElementsAre("command mpirun", "option mca=btl", "option allow-run-as-root",
                          "command nvidia-smi"));
}

TEST(ShellSettings, FindProgramsInPipesAndConditions) {
  EXPECT_THAT(
      SettingsOfScript("if nvidia-smi | grep x; then a & fi\nwhile ! b; do c; done\n"),
      ElementsAre("command nvidia-smi", "command grep", "command a", "command b", "command c"));
  EXPECT_THAT(SettingsOfScript("A=\"$(nvidia-smi)\"; B=`nvcc`; C=0 || d && (e)\n"),
              ElementsAre("variable A", "command nvidia-smi", "variable B", "command nvcc",
                          "variable C=0", "command d", "command e"));
}

TEST(ShellSettings, FindNothingElseInComments) {
  EXPECT_THAT(SettingsOfScript("# export A=1\n# nvidia-smi --x y\n"), IsEmpty());
}

TEST(ShellSettings, FindNothingInAnEmptyFile) {
  EXPECT_THAT(SettingsOfScript(""), IsEmpty());
  EXPECT_THAT(SettingsOfScript("\n \n"), IsEmpty());
}

TEST(ShellSettings, ReadScriptsOfWindows) {
  EXPECT_THAT(
      SettingsOfScript("export A=1\r\nARGS=\"--a b \\\r\n --c d\"\r\npython x.py \\\r\n  --device "
                       "cuda\r\n#SBATCH --export=B=2\r\nif nvidia-smi\r\nthen\r\n x\r\nfi\r\n"),
      ElementsAre("variable A=1", "variable ARGS", "option a=b", "option c=d", "command python",
                  "option device=cuda", "variable B=2", "command nvidia-smi", "command x"));
}

TEST(ShellSettings, CountTheBytesOfCharacters) {
  EXPECT_THAT(SettingsOfScript("# \xE6\xB5\x8B\xE8\xAF\x95\nA=\"\xE5\x9B\xBE\" x --device cuda\n"),
              ElementsAre("variable A=\xE5\x9B\xBE", "command x", "option device=cuda"));
  EXPECT_THAT(SettingsOfScript("\xEF\xBB\xBF"
                               "A=1\n"),
              ElementsAre("variable A=1"));
}

TEST(ShellSettings, LeaveOutAStatementThatDoesNotParse) {
  EXPECT_THAT(SettingsOfScript("A=1\npython x.py \"--device cuda\n"), ElementsAre("variable A=1"));
  EXPECT_THAT(SettingsOfScript("A=1\npython x.py --data <PATH> (see above)\nB=2\n"),
              ElementsAre("variable A=1", "variable B=2"));
}

TEST(ShellSettings, LeaveOutTheLineOfAnError) {
  EXPECT_THAT(SettingsOfScript("A=1\npython --device cuda )(\n"), ElementsAre("variable A=1"));
  EXPECT_THAT(SettingsOfScript("A=1\nB=2; python --device cuda )\nC=3\n"),
              ElementsAre("variable A=1", "variable C=3"));
}

TEST(ShellSettings, ReadALongScript) {
  EXPECT_THAT(
      SettingsOfScript(Repeated("CUDA_VISIBLE_DEVICES=0 python x.py --device cuda $A\n", 10'000)),
      SizeIs(40'000));
}

TEST(ShellSettings, ReadDeepNesting) {
  RunOnSmallStack([] {
    const std::string script = "x " + Repeated("$(", 5000) + "nvidia-smi" + Repeated(")", 5000);
    EXPECT_THAT(SettingsOfScript(script), ElementsAre("command x", "command nvidia-smi"));
    EXPECT_THAT(SettingsOfScript(Repeated("if x; then\n", 5000) + Repeated("fi\n", 5000)),
                SizeIs(5000));
    SettingsOfScript(Repeated("\"$(x ", 5000));
    SettingsOfScript(Repeated("{ ( ", 5000));
  });
}

TEST(ShellSettings, GiveUpOnATextThatTakesTooLong) { SettingsOfScript(Repeated("a[b ", 200'000)); }

TEST(ShellSettings, ReadScriptsInStrings) {
  EXPECT_THAT(SettingsOfScript("bash -c 'export A=1; python a.py --device cuda'\n"),
              ElementsAre("command bash", "option c=export A=1; python a.py --device cuda",
                          "variable A=1", "command python", "option device=cuda"));
  EXPECT_THAT(SettingsOfScript("srun -n 2 bash -lc \"python a.py --x $B\"\n"),
              ElementsAre("command srun", "option n=2", "command bash", "option lc",
                          "command python", "option x", "variable B"));
}

TEST(ShellSettings, ReadScriptsThatOtherProgramsHandOn) {
  EXPECT_THAT(SettingsOfScript("docker exec -c \"A=1\" x bash -lc 'export B=1'\n"),
              testing::IsSupersetOf({"command docker", "variable B=1"}));
  EXPECT_THAT(SettingsOfScript("sbatch --wrap='export A=1'\nsbatch --wrap \"export B=1\"\n"),
              testing::IsSupersetOf({"variable A=1", "variable B=1"}));
  EXPECT_THAT(SettingsOfScript("srun -c \"A=1\" bash -c 'export B=1'\n"),
              ElementsAre("command srun", "option c=A=1", "option A=1", "command bash",
                          "option c=export B=1", "variable B=1"));
  EXPECT_THAT(SettingsOfScript("grep bash -c 'export A=1'\n"),
              ElementsAre("command grep", "option c=export A=1"));
}

TEST(ShellSettings, LeaveScriptsThatAreNotAsWritten) {
  EXPECT_THAT(SettingsOfScript("bash -c \"echo \\\"--device cuda\\\"\"\n"),
              ElementsAre("command bash", "option c"));
  EXPECT_THAT(SettingsOfScript("python -c 'A = 1'\n"),
              ElementsAre("command python", "option c=A = 1"));
  EXPECT_THAT(SettingsOfScript("bash -c $SCRIPT\n"),
              ElementsAre("command bash", "option c", "variable SCRIPT"));
}

TEST(ShellSettings, ReadDocumentsThatAreScripts) {
  EXPECT_THAT(SettingsOfScript("bash <<EOF\nexport A=$B\nEOF\n"),
              ElementsAre("command bash", "variable A", "variable B"));
  EXPECT_THAT(SettingsOfScript("cat > job.sh <<'EOF'\npython a.py --device cuda\nEOF\n"),
              ElementsAre("command cat", "command python", "option device=cuda"));
  EXPECT_THAT(SettingsOfScript("cat <<EOF | sbatch\n#SBATCH --export=ALL,A=1\nEOF\n"),
              ElementsAre("command cat", "command sbatch", "variable A=1"));
  EXPECT_THAT(SettingsOfScript("ssh host bash -s <<EOF\nexport A=1\nEOF\n"),
              testing::IsSupersetOf({"variable A=1"}));
  EXPECT_THAT(SettingsOfScript("cat > notes.txt <<EOF\n--device cuda\nEOF\n"),
              ElementsAre("command cat"));
  EXPECT_THAT(SettingsOfScript("python - <<EOF\nA = 1\nEOF\n"), ElementsAre("command python"));
}

TEST(ShellSettings, FindKeysWithTheirValuesBehindThem) {
  EXPECT_THAT(
      SettingsOfScript("python a.py MODEL.DEVICE cuda SOLVER.IMS_PER_BATCH 2 b.py 1.5 x\n"),
      ElementsAre("command python", "option MODEL.DEVICE=cuda", "option SOLVER.IMS_PER_BATCH=2"));
  EXPECT_THAT(SettingsOfScript("OPTS=\"MODEL.DEVICE cuda\"\n"),
              ElementsAre("variable OPTS=MODEL.DEVICE cuda", "option MODEL.DEVICE=cuda"));
}

TEST(ShellSettings, FindPackagesThatAreInstalled) {
  EXPECT_THAT(
      SettingsOfScript("python -m pip install -U 'torch>=2' --index-url https://h/whl/cu118\n"),
      ElementsAre("command python", "option m=pip", "option U=torch>=2",
                  "dependency torch=torch>=2", "option index-url=https://h/whl/cu118"));
  EXPECT_THAT(SettingsOfScript("pip list\n"), ElementsAre("command pip"));
}

TEST(ShellSettings, FindWhatContainersAreRunWith) {
  EXPECT_THAT(
      SettingsOfScript("docker run --gpus all nvcr.io/nvidia/pytorch:23.05-py3 python a.py\n"),
      ElementsAre("command docker", "container --gpus", "option gpus=all",
                  "container nvcr.io/nvidia/pytorch:23.05-py3"));
}

TEST(ShellSettings, EndInScriptsWithinScripts) {
  std::string text = "A=1\n";
  for (int i = 0; i < 6; ++i) {
    text = "bash <<E" + std::to_string(i) + "\n" + text + "E" + std::to_string(i) + "\n";
  }
  EXPECT_THAT(SettingsOfScript(text), SizeIs(4));
}

std::vector<std::string> Python(const std::string& text) {
  const Result<SourceFile> source = SourceFile::FromBytes("run.sh", text);
  std::vector<std::string> programs;
  for (TextRange range : PythonIn(*source)) programs.emplace_back(range.In(text));
  return programs;
}

TEST(PythonInShell, StandsInArgumentsAndDocuments) {
  EXPECT_THAT(Python("python -c 'x = 1'\nsrun python3.10 -u -c \"y = 2\"\n"),
              ElementsAre("x = 1", "y = 2"));
  EXPECT_THAT(Python("python - <<EOF\nx = 1\nEOF\npython3 <<'EOF'\ny = '$A'\nEOF\n"),
              ElementsAre("x = 1\n", "y = '$A'\n"));
  EXPECT_THAT(Python("python -u - \"$A\" b <<'EOF'\nx = 1\nEOF\n"), ElementsAre("x = 1\n"));
}

TEST(PythonInShell, IsLeftWhereItIsNotAsWritten) {
  EXPECT_THAT(Python("python -c \"x = $A\"\npython -c \"x = \\\"a\\\"\"\npython -c $X\n"),
              IsEmpty());
  EXPECT_THAT(Python("python <<EOF\nx = '$A'\nEOF\npython <<-EOF\n\tx = 1\n\tEOF\n"), IsEmpty());
  EXPECT_THAT(Python("python -m a <<EOF\nx = 1\nEOF\n"), IsEmpty());
  EXPECT_THAT(Python("python a.py <<EOF\nx = 1\nEOF\ncat <<EOF\nx = 1\nEOF\n"), IsEmpty());
}

}  // namespace
}  // namespace transplt
