#include "cli_world.h"
#include "ki/io/file.h"
#include "ki/io/zstd.h"

#include <gmock/gmock.h>

namespace ki::cli {
namespace {

using testing::HasSubstr;

class ExportTest : public CliTest {
 protected:
  std::string bytes(const std::string& name) const { return io::read_file(file(name)).value(); }
  std::string decompressed(const std::string& name) const {
    std::string text;
    auto source = io::ByteSource::open(file(name)).value();
    for (;;) {
      const std::string_view part = source.next().value();
      if (part.empty()) return text;
      text += part;
    }
  }
};

TEST_F(ExportTest, ExportingAnImportedExportGivesTheSameBytes) {
  import_registry();
  must({"export", file("first.jsonl.zst")});
  must({"import", "kernelindex", file("first.jsonl.zst"), "--catalog", file("copy.db")});
  must({"export", file("second.jsonl.zst"), "--catalog", file("copy.db")});
  EXPECT_EQ(bytes("first.jsonl.zst"), bytes("second.jsonl.zst"));
  EXPECT_EQ(ki({"fsck", "--catalog", file("copy.db")}).code, 0);
  EXPECT_THAT(must({"verify", file("first.jsonl.zst")}), HasSubstr("Sound:"));
  EXPECT_THAT(
      must({"import", "kernelindex", file("first.jsonl.zst"), "--catalog", file("copy.db")}),
      HasSubstr("Nothing new"));
}

TEST_F(ExportTest, KeepsCorrectionsAndTheirHistory) {
  import_registry();
  must({"retract", "sha256:b9be3851ba01fa36639e1781b1163df1094c0d27057f2f73b30c2c237f6e6423",
        "--reason", "a test of exports"});
  must({"export", file("a.jsonl.zst")});
  must({"import", "kernelindex", file("a.jsonl.zst"), "--catalog", file("copy.db")});
  must({"export", file("b.jsonl.zst"), "--catalog", file("copy.db")});
  EXPECT_EQ(bytes("a.jsonl.zst"), bytes("b.jsonl.zst"));
  EXPECT_THAT(must({"show", "run",
                    "sha256:b9be3851ba01fa36639e1781b1163df1094c0d27057f2f73b30c2c237f6e6423",
                    "--catalog", file("copy.db")}),
              HasSubstr("a test of exports"));
}

TEST_F(ExportTest, RefusesACutOrAlteredFileBeforeAnyWrite) {
  import_registry();
  must({"export", file("whole.jsonl.zst")});
  const std::string text = decompressed("whole.jsonl.zst");
  struct Case {
    const char* why;
    std::string text;
  };
  const std::size_t middle = text.find('\n', text.size() / 2) + 1;
  std::string altered = text;
  altered[altered.find("33864")] = '4';
  std::string swapped = text;
  const std::size_t digit = swapped.find("\"seq\":") + 6;
  swapped[digit] = swapped[digit] == '9' ? '8' : '9';
  for (const auto& [why, bad] :
       {Case{"cut at a line", text.substr(0, middle)},
        Case{"cut inside a line", text.substr(0, middle + 10)},
        Case{"without its last line feed", text.substr(0, text.size() - 1)},
        Case{"a digit changed", altered}, Case{"a sequence number changed", swapped},
        Case{"one line twice",
             text.substr(0, middle) + text.substr(text.rfind('\n', middle - 2) + 1)}}) {
    SCOPED_TRACE(why);
    ASSERT_TRUE(io::write_file_atomically(file("bad.jsonl"), bad));
    const Outcome outcome =
        ki({"import", "kernelindex", file("bad.jsonl"), "--catalog", file("new.db")});
    EXPECT_EQ(outcome.code, 1) << outcome.out;
    EXPECT_THAT(must({"stats", "--json", "--catalog", file("new.db")}),
                HasSubstr("\"catalogVersion\": 0"));
  }
  const std::string frame = bytes("whole.jsonl.zst");
  ASSERT_TRUE(io::write_file_atomically(file("cut.jsonl.zst"), frame.substr(0, frame.size() - 7)));
  EXPECT_EQ(ki({"import", "kernelindex", file("cut.jsonl.zst"), "--catalog", file("new.db")}).code,
            1);
}

TEST_F(ExportTest, ABackupIsTheCatalog) {
  import_registry();
  must({"backup", file("backup.db")});
  EXPECT_EQ(must({"stats", "--json", "--catalog", file("backup.db")}), must({"stats", "--json"}));
  EXPECT_EQ(ki({"fsck", "--catalog", file("backup.db")}).code, 0);
}

}  // namespace
}  // namespace ki::cli
